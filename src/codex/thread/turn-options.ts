import type { NetworkAccess } from '../policy/index.ts'
import type { ClientParams, protocol } from '../protocol/index.ts'
import { BadInputError } from './input.ts'

/** A JSON Schema as an object: `z.toJSONSchema(S)`, or one written by hand. */
export interface OutputSchema {
  readonly [keyword: string]: unknown
}

/** codex's own per-turn overrides, plus when to stop. Aborting the signal interrupts the turn. */
export type TurnOptions = Omit<ClientParams<'turn/start'>, 'threadId' | 'input' | 'outputSchema'> & {
  /** What the answer must look like. The outcome then has it parsed. */
  readonly outputSchema?: OutputSchema | null
  /** What commands may touch from this turn on. */
  readonly sandbox?: protocol.v2.SandboxMode
  /** Whether they reach the network, from this turn on. */
  readonly network?: NetworkAccess
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

type TurnOverrides = Omit<TurnOptions, 'timeoutMs' | 'signal' | 'outputSchema'> &
  Pick<ClientParams<'turn/start'>, 'outputSchema'>

/** What of a turn's options codex is told. */
export function turnOverrides({ timeoutMs: _, signal: __, ...overrides }: TurnOptions): TurnOverrides {
  // Without its types zod's own object is an easy mistake, and JSON of its insides is what the model would get.
  if (typeof overrides.outputSchema?.parse === 'function')
    throw new BadInputError(
      'outputSchema is not a JSON Schema: of a zod schema S, give z.toJSONSchema(S)',
      'outputSchema',
    )
  return overrides as TurnOverrides
}
