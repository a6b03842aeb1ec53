// From what another application configures to what codex is told, and what is said of it.
export { type CodexServer, codexName, SERVER_NAME } from './codex-server.ts'
export { isDangerousVariable, isTestFolder } from './dangerous-variables.ts'
export { type ImportPlan, planImport } from './plan-import.ts'
export { serverSecrets } from './server-secrets.ts'
export { translateServer } from './translate-server.ts'
export { type Allowed, type Ask, NOTHING_ALLOWED, type Note, type Translation } from './translation.ts'
