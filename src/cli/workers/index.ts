// `drawbridge workers`: the services that share a database.
export { addWorkersCommand } from './command.ts'
