// `drawbridge config`: codex's own configuration.
export { addConfigCommand } from './command.ts'
