export { type Failure, type TurnError, toFailure } from './failure.ts'
export type { FailureCode } from './signs.ts'
