// Trust in folders: the commands, what is asked before a run, and what tasks are told.
export { addTrustCommand } from './command.ts'
export { defaultCodexHome, guardOf } from './guard.ts'
export { TrustPlace } from './trust-door.ts'
export { trustFirst } from './trust-first.ts'
