// Tasks at work: who is next, the loop that takes a message through its turn, and finding turns again.
export { tellHeld } from './held-tasks.ts'
export { recoverAll } from './recover-all.ts'
export type { Run } from './run.ts'
export { Runs } from './runs.ts'
export { Scheduler } from './scheduler.ts'
export { isDropped, NOT_TAKEN_IN, placeLate } from './steered.ts'
