// The machine of a thread that is opened: reached, or found to be away, and what that means for its rights.
import type { ThreadEnvironment } from '../environment.ts'
import { hasCode } from '../errors/index.ts'
import type { PathFacts } from '../host.ts'
import type { RightsContext } from '../policy/index.ts'
import type { protocol } from '../protocol/index.ts'
import type { Environments, Reached } from './environments.ts'
import { BadInputError } from './input.ts'
import { Placements } from './placement.ts'
import type { ThreadPlace } from './thread-parts.ts'
import type { Request } from './turn-context.ts'

/** The machine its commands run on. */
export interface Place {
  /** null: codex's own. */
  readonly environment: ThreadEnvironment | null
  /** null: codex's own, or one that is away. */
  readonly reached: Reached | null
  /** Why it cannot be reached. */
  readonly away: Error | null
  readonly paths: PathFacts
}

interface ThreadPlacesParts {
  readonly request: Request
  readonly rights: RightsContext
  /** Of the machine codex runs on. */
  readonly paths: PathFacts
  readonly environments: Environments
}

export class ThreadPlaces {
  readonly #parts: ThreadPlacesParts
  readonly #placements: Placements

  constructor(parts: ThreadPlacesParts) {
    this.#parts = parts
    this.#placements = new Placements(parts.request)
  }

  /** A thread that may be running is joined also while its machine is away: its turn goes on when that is back. */
  async of(
    { environment, cwd }: { environment?: ThreadEnvironment; cwd?: string | null },
    { mayBeAway = false } = {},
  ): Promise<Place> {
    const { environments, rights, paths } = this.#parts
    if (!environment) {
      environments.keepTo(null)
      return { environment: null, reached: null, away: null, paths }
    }
    if (!cwd?.startsWith('/'))
      throw new BadInputError(`name the folder on ${environment.name} as cwd, from / on`, 'cwd')
    const place = { environment, paths: environment.paths }
    try {
      return { ...place, reached: await environments.reach(environment, rights), away: null }
    } catch (error) {
      if (!mayBeAway || !hasCode(error, 'host-unreachable')) throw error
      return { ...place, reached: null, away: error }
    }
  }

  /** Before a resume: whether codex has to load the thread. Rejects when it would have to while its machine is away. */
  prepare(threadId: string, place: Place): Promise<boolean> {
    return this.#placements.prepare(threadId, place)
  }

  rightsIn({ reached }: Pick<Place, 'reached'>): RightsContext {
    const { rights } = this.#parts
    return reached ? { ...rights, protection: reached.protection } : rights
  }

  /** Of a thread that codex has opened. */
  open(
    { environment, reached, paths }: Place,
    { thread, isNew }: { readonly thread: protocol.v2.Thread; readonly isNew: boolean },
  ): ThreadPlace {
    const { rights: own, environments } = this.#parts
    const rights = this.rightsIn({ reached })
    if (!environment) return { rights, paths, environment: null }
    const { name } = environment
    const placement = this.#placements.of(thread, { name, isNew })
    const reach = () => environments.reach(environment, own)
    return { rights, paths, environment: { name, id: reached?.id ?? null, reach, placement } }
  }
}
