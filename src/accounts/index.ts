// Codex logins that tasks borrow: kept sealed, one live holder each, saved back when codex renews them.
export type { Account, AccountFacts, AccountWindow } from './account.ts'
export { AccountError, type AccountErrorCode } from './account-error.ts'
export type { KeySource } from './account-key.ts'
export {
  type AccountSettings,
  Accounts,
  type AccountsOptions,
  type AddAccount,
  type NewLogin,
  type PendingAccount,
} from './accounts.ts'
export type { Verdict } from './check-login.ts'
export { accountsFolder } from './lent-app-servers.ts'
export { type Login, readLogin } from './login-text.ts'
