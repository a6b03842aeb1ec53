import type { PathFacts } from '../host.ts'
import type { RightsContext, ThreadPolicy } from '../policy/index.ts'
import type { ThreadApprovals } from '../requests/index.ts'
import type { ThreadTools } from '../tools/index.ts'
import type { ThreadSettings } from './thread.ts'
import type { ThreadListener } from './thread-listener.ts'
import type { TurnContext } from './turn-context.ts'

/** What a thread is made of when it has been opened. */
export interface ThreadParts {
  readonly settings: ThreadSettings
  readonly policy: ThreadPolicy
  readonly approvals: ThreadApprovals | null
  readonly listener: ThreadListener | null
  readonly tools: ThreadTools | null
  readonly rights: RightsContext
  readonly context: TurnContext
  /** Of the machine its commands run on. */
  readonly paths: PathFacts
  /** A new thread has used nothing; of others codex has to say. */
  readonly isNew: boolean
}
