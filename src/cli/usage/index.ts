// `drawbridge usage`.
export { addUsageCommand } from './command.ts'
