// `drawbridge rules`: what would be answered without a person, and the standing rules.
export { addRulesCommand } from './command.ts'
