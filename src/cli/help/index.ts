// What `--help` and `help` show.
export type { Adding } from './adding.ts'
export { addHelpCommand } from './command.ts'
export { addExamples, type Example } from './examples.ts'
export { OPTION_TEXT } from './option-text.ts'
