// Codex logins that tasks borrow: kept sealed, one live holder each, saved back when codex renews them.
export type { KeySource } from './account-key.ts'
export { Accounts } from './accounts.ts'
export { accountsFolder } from './lent-app-servers.ts'
export { readLogin } from './login-text.ts'
