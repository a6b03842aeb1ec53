// From what another application configures to what codex is told, and what is said of it.
export { isTestFolder } from './dangerous-variables.ts'
export { type ImportPlan, planImport } from './plan-import.ts'
export { secretArguments } from './secret-values.ts'
export { serverSecrets } from './server-secrets.ts'
export { type Allowed, type Ask, NOTHING_ALLOWED, type Translation } from './translation.ts'
