// Tasks at work: who is next, the loop that takes a message through its turn, and finding turns again.
export { tellHeld } from './held-tasks.ts'
export { recoverAll } from './recover-all.ts'
export type { Run } from './run.ts'
export { Runs } from './runs.ts'
export { type Hold, Scheduler } from './scheduler.ts'
export type { Settled } from './settled.ts'
export { isDropped, NOT_TAKEN_IN, placeLate } from './steered.ts'
export { type TurnEndParts, writeTurnEnd } from './turn-end.ts'
