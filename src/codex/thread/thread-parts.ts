import type { PathFacts } from '../host.ts'
import type { RightsContext, ThreadPolicy } from '../policy/index.ts'
import type { ThreadApprovals } from '../requests/index.ts'
import type { ThreadTools } from '../tools/index.ts'
import type { Reached } from './environments.ts'
import type { Placement } from './placement.ts'
import type { ThreadSettings } from './thread.ts'
import type { ThreadListener } from './thread-listener.ts'
import type { TurnContext } from './turn-context.ts'

/** The machine that the commands of a thread run on. */
export interface ThreadPlace {
  readonly rights: RightsContext
  readonly paths: PathFacts
  /** null: codex's own machine. */
  readonly environment: PlacedEnvironment | null
}

export interface PlacedEnvironment {
  readonly name: string
  /** As codex calls it; null: it was away when the thread was opened, which has no turn until it is opened again. */
  readonly id: string | null
  readonly reach: () => Promise<Reached>
  readonly placement: Placement
}

/** What a thread is made of when it has been opened. */
export interface ThreadParts extends ThreadPlace {
  readonly settings: ThreadSettings
  readonly policy: ThreadPolicy
  readonly approvals: ThreadApprovals | null
  readonly listener: ThreadListener | null
  readonly tools: ThreadTools | null
  readonly context: TurnContext
  /** A new thread has used nothing; of others codex has to say. */
  readonly isNew: boolean
}
