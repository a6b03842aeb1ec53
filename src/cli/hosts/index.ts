// Machines that tasks can run on, besides this one.
export { addHostCommand } from './command.ts'
