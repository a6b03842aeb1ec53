// Permission rules of other applications, where Codex or Drawbridge can mean exactly the same.
export { type FoundRules, findRules } from './find-rules.ts'
export type { PermissionRule } from './permission-rule.ts'
export { codexRules, drawbridgeRules, rulesFile, type TranslatedRules } from './translate-rules.ts'
