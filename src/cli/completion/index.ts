// Completion for shells: the script, and what it asks for.
export { addCompletionCommand } from './command.ts'
