// Hooks around tasks: what the operator, or the embedding program, runs before and after them and on what happens in them.
export { Hooks } from './hooks.ts'
