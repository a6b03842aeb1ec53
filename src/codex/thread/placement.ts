// Whether codex knows the machine of a thread. It forgets that when it loads the thread anew (0.166): until the next turn
// that names the machine, whatever codex does in the thread it would do on its own.
//
// Four things keep that from happening. A thread is loaded under a profile that grants nothing, so that no command in a
// sandbox can run. Its goal is paused, so that codex begins no turn. A turn that is begun all the same is interrupted. And
// what is asked in one is refused: an approved command would run outside that sandbox. It is asked of people alone; a
// reviewer of codex's own would not ask us.
import { DrawbridgeError, hasCode } from '../errors/index.ts'
import { SHUT_PROFILE } from '../policy/index.ts'
import type { protocol } from '../protocol/index.ts'
import type { PlacedEnvironment } from './thread-parts.ts'
import type { Turn, TurnOrigin } from './turn.ts'
import type { Request, TurnContext } from './turn-context.ts'

/** For the `config` of a thread that is resumed or forked: nothing can be read or run before a turn names its rights. */
export const SHUT_CONFIG = {
  // Its folder is the empty one. A profile with nothing at all makes codex warn.
  [`permissions.${SHUT_PROFILE}`]: {
    filesystem: { ':workspace_roots': { '.': 'read' } },
    network: { enabled: false },
  },
  default_permissions: SHUT_PROFILE,
}

/** Parameters of a request that loads such a thread. The next turn brings what it is to have. */
export const SHUT_PARAMS = { approvalsReviewer: 'user' } as const

export class Placement {
  readonly #onBegun: () => void
  #isPlaced: boolean
  #clearing: Promise<unknown> | null = null

  constructor({ isPlaced, onBegun = () => {} }: { isPlaced: boolean; onBegun?: () => void }) {
    this.#isPlaced = isPlaced
    this.#onBegun = onBegun
  }

  /** Whether what codex does in the thread, it does on the machine of the thread. */
  get isPlaced(): boolean {
    return this.#isPlaced
  }

  /** While a turn is being ended that has no business here. */
  get clearing(): Promise<unknown> | null {
    return this.#clearing
  }

  /** Of a turn that is heard of. */
  originOf(by: TurnOrigin): TurnOrigin {
    return by === 'codex' && !this.#isPlaced ? 'misplaced' : by
  }

  /** codex has taken a turn that names the machine. */
  begun(): void {
    if (this.#isPlaced) return
    this.#isPlaced = true
    this.#onBegun()
  }

  /** Ends a turn that codex, or another client, has begun on codex's own machine. */
  refuse(turn: Turn, { onIncident }: Pick<TurnContext, 'onIncident'>): void {
    const about = { type: 'turn-misplaced', threadId: turn.threadId, turnId: turn.id } as const
    onIncident({
      ...about,
      error: new Error('codex would have run it on its own machine: it was interrupted'),
    })
    turn.discardEvents()
    this.#clearing = turn.interrupt().then(
      () => turn.outcome,
      () => {},
    )
  }
}

/** For what has no parameter for the machine: it would be done on codex's own. Throws. */
export function refuseUnplaced(environment: PlacedEnvironment | null): void {
  if (environment?.placement.isPlaced !== false) return
  throw new DrawbridgeError(
    `codex has loaded the thread anew and does not know that it is on ${environment.name}: start a turn first, then review`,
    { code: 'thread-unplaced' },
  )
}

/** Where the threads of other machines were loaded, on one connection. */
export class Placements {
  readonly #request: Request
  /** Threads whose goal is paused until their next turn. */
  readonly #paused = new Set<string>()

  constructor(request: Request) {
    this.#request = request
  }

  /**
   * Before a resume: whether codex has to load the thread. `away`: why its machine cannot be reached; a thread is not
   * loaded without it.
   */
  async prepare(threadId: string, { away }: { readonly away: Error | null }): Promise<boolean> {
    const read = this.#request('thread/read', { threadId, includeTurns: false })
    const status = await read.then(({ thread }) => thread.status?.type).catch(() => 'notLoaded')
    if (status !== 'notLoaded') return false
    if (away) throw away
    if (await this.#hasActiveGoal(threadId)) {
      this.#paused.add(threadId)
      await this.#setGoal(threadId, 'paused')
    }
    return true
  }

  /** Of a thread that was opened. `name`: of its machine. */
  of(
    { id, environments, status }: Pick<protocol.v2.Thread, 'id' | 'environments' | 'status'>,
    { name, isNew }: { readonly name: string; readonly isNew: boolean },
  ): Placement {
    const [first] = environments ?? []
    // Older versions do not say: one that works was placed by the turn.
    const isPlaced = environments ? isOf(name, first?.environmentId ?? '') : status?.type === 'active'
    return new Placement({ isPlaced: isNew || isPlaced, onBegun: () => void this.#goOn(id) })
  }

  async #hasActiveGoal(threadId: string): Promise<boolean> {
    const read = this.#request('thread/goal/get', { threadId })
    // Versions without goals.
    return read.then(({ goal }) => goal?.status === 'active').catch((error) => !hasCode(error, 'rpc-error'))
  }

  /** Its goal goes on after the turn. Somebody may have set another meanwhile. */
  async #goOn(threadId: string): Promise<void> {
    if (!this.#paused.delete(threadId)) return
    const read = await this.#request('thread/goal/get', { threadId }).catch(() => null)
    if (read?.goal?.status === 'paused') await this.#setGoal(threadId, 'active').catch(() => {})
  }

  async #setGoal(threadId: string, status: 'active' | 'paused'): Promise<void> {
    await this.#request('thread/goal/set', { threadId, status })
  }
}

/** Whether codex asks about another machine than that of the thread, or does not know that one. */
export function isMisplaced(environment: PlacedEnvironment | null, params: unknown): boolean {
  if (environment === null) return false
  const { environmentId } = Object(params) as { environmentId?: unknown }
  const isElsewhere = typeof environmentId === 'string' && !isThere(environment, environmentId)
  return isElsewhere || !environment.placement.isPlaced
}

/** A name can have gone to another machine since. While that is away, only the name is known. */
function isThere({ name, id }: PlacedEnvironment, environmentId: string): boolean {
  return id === null ? isOf(name, environmentId) : id === environmentId
}

/** The machine has this name; its address may be another than now. */
function isOf(name: string, environmentId: string): boolean {
  return environmentId.startsWith(`${name}-`) && /^[0-9a-f]{8}$/.test(environmentId.slice(name.length + 1))
}
