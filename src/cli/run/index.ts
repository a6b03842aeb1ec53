// `drawbridge run` and `drawbridge demo`: one turn, here and now. Tasks are shown the same way.
export { addRunCommand } from './command.ts'
export { addDemoCommand } from './demo-command.ts'
export type { RunResult } from './run-result.ts'
export { TerminalView } from './terminal-view.ts'
export { type RunFlags, SANDBOX_MODES, turnRequest } from './turn-request.ts'
