// What a command line says, checked: options that several commands have, and the prompt.
export { ACCESS_HELP, type AccessFlags, addAccessOptions } from './access-flags.ts'
export {
  addRuleOptions,
  addYesOptions,
  collect,
  PRESETS_HELP,
  type RuleFlags,
  type YesFlags,
} from './approval-flags.ts'
export { namedCodex, namedCodexHome } from './codex-flags.ts'
export { collectWords } from './collect-words.ts'
export { accessOf, type NamedAccess } from './named-access.ts'
export { promptText } from './prompt-text.ts'
export { seconds } from './seconds.ts'
export { notCovered, type StandingYes } from './standing-yes.ts'
export { standingYes, threadApprovals } from './thread-approvals.ts'
export { pageLimit, wholeNumber } from './whole-number.ts'
