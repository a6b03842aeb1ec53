// The owner's token, and named ones with limits.
export { addTokenCommand } from './command.ts'
