// What a turn needs of the client it runs on, and no more.
import { hasCode, openingError } from '../errors/index.ts'
import type { PathFacts } from '../host.ts'
import type { ClientMethod, ClientParams, ClientResult, protocol } from '../protocol/index.ts'

export type Request = <M extends ClientMethod>(
  method: M,
  params: ClientParams<M>,
  options?: { timeoutMs?: number },
) => Promise<ClientResult<M>>

/** Something about a turn that did not go as it should and was survived. */
export interface TurnIncident {
  /**
   * `look-failed`: codex could not be asked about a silent turn. `commands-left-running`: nor to end its commands.
   * `listener-failed`: a listener of `onTurn` threw. `turn-misplaced`: it was begun on another machine than the thread's.
   */
  readonly type: 'look-failed' | 'commands-left-running' | 'listener-failed' | 'turn-misplaced'
  readonly threadId: string
  readonly turnId: string
  readonly error: unknown
}

export interface TurnContext {
  readonly request: Request
  /** Of this machine: files that a message names are read here. */
  readonly kindOf: PathFacts['kindOf']
  readonly isExperimental: boolean
  /** An ephemeral thread leaves nothing to resume. */
  readonly isEphemeral: boolean
  /** Before 0.131 codex repeats what the thread had used, under the new turn's id, before each model call. */
  readonly repeatsUsage: boolean
  /** How long a turn may be silent before codex is asked about it, and how often then. */
  readonly look: { readonly afterMs: number; readonly everyMs: number }
  /** When the account's exhausted limits reset, as far as codex has said. */
  resetAt(): Date | null
  /** Whether a question of this turn is waiting for its answer. */
  isAsking(turnId: string): boolean
  onIncident(incident: TurnIncident): void
}

/** A turn as the thread's history has it; null when it is not there. */
export async function findTurn(
  { request }: TurnContext,
  { threadId, turnId }: { threadId: string; turnId: string },
): Promise<protocol.v2.Turn | null> {
  const turns = await newestTurns(request, threadId).catch((error) => {
    // Ephemeral threads have no history to ask for.
    if (hasCode(error, 'rpc-error', 'nothing-to-resume')) return []
    throw error
  })
  return turns.find(({ id }) => id === turnId) ?? null
}

/** With their items; newest first. */
export async function newestTurns(request: Request, threadId: string): Promise<protocol.v2.Turn[]> {
  try {
    const params = { threadId, limit: 20, sortDirection: 'desc', itemsView: 'full' } as const
    return (await request('thread/turns/list', params)).data
  } catch {
    // Experimental between 0.130 and 0.150; there the whole history is the only way.
    const read = request('thread/read', { threadId, includeTurns: true })
    const { thread } = await read.catch((error) => {
      throw openingError(threadId, error)
    })
    return thread.turns
  }
}
