// The login of codex: `login`, `logout`, `account`.
export { describeAccount } from './account-text.ts'
export { addAccountCommands } from './command.ts'
