// `drawbridge db`: upkeep of the database.
export { addDbCommand } from './command.ts'
export { type PruneOptions, pruneAll } from './prune-all.ts'
