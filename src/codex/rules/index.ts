// Stored answers: which questions of codex a rule answers, and why. Pure functions; who stores rules and who asks people
// is elsewhere.
export type { Asked, AskedAction, AskedCommand, AskedFileChange, AskedPermissions } from './asked.ts'
export { type Decision, decide, type JudgedPart, type Surroundings } from './decide.ts'
export { KnownPaths, lookUpPaths, type RealPath } from './known-paths.ts'
export { type ParsedRule, parseRule } from './parse-rule.ts'
export type { Resolve } from './places.ts'
export { PRESET_MEANINGS, type PresetName } from './preset-meanings.ts'
export { isPreset, PRESETS, presetNotes } from './presets.ts'
export type { Answer, CommandMatch, McpMatch, PathMatch, Rule, RuleKind, RuleOf } from './rule.ts'
export { parseRuleText, printRule } from './rule-text.ts'
export { plainWords } from './shell-words.ts'
export { ruleReach, type Side, sideText } from './side.ts'
