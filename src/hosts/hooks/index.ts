// Hooks of tasks as commands and modules.
export { type CommandHookOptions, commandHook, endLeftBehindHook, moduleHook } from './command-hooks.ts'
