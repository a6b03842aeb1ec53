import type { Hooks } from '../hooks/index.ts'
import type { Logins } from '../link/index.ts'
import type { TaskAccounts, TaskWorkspaces } from '../model/index.ts'
import type { AttachParts } from './attach.ts'
import type { Hold, Scheduler, Slot } from './scheduler.ts'
import type { TurnEndParts } from './turn-end.ts'
import type { Next } from './turn-start.ts'

/** A task of this worker that wants to begin a turn. */
export interface Entering {
  readonly taskId: string
  readonly queuedAt: number
  /** Something holds its account: it waits for that at the scheduler, and keeps nobody back. */
  readonly isHeld: boolean
  readonly signal: AbortSignal
  /** To the scheduler. Called in the moment in which it is its turn: nobody else can come in between. */
  readonly go: () => Promise<Slot>
}

export interface RunsParts extends TurnEndParts, AttachParts {
  readonly approvals: TurnEndParts['approvals']
  readonly scheduler: Scheduler
  readonly logins: Logins
  /** Whether a task is run here. On a shared store another worker may have it, or none yet. */
  readonly owns: (taskId: string) => boolean
  /** There may be a message for a task that is not run here. */
  readonly onForeign: () => void
  /** The limit of an account was hit, or is no longer to be waited for: null. */
  readonly onLimit: (account: string, hold: Hold | null) => void
  /** Leaves a task to another worker that this machine cannot start. False: it has failed. */
  readonly giveBack: (next: Next, error: unknown) => Promise<boolean>
  /** Waits for its turn among all that are queued on a shared store, and goes to the scheduler. */
  readonly enter: (entering: Entering) => Promise<Slot>
  /** Before a turn: limits that other workers have met are known when it resolves. */
  readonly lookForLimits: () => Promise<void>
  /** A limit has ended: the task goes on by itself. */
  readonly onLimitOver: (taskId: string) => void
  readonly onTurnEnded: (status: string) => void
  /** The accounts that tasks borrow; null: this service keeps none. */
  readonly accounts: TaskAccounts | null
  /** Where tasks work; null: this service makes none. */
  readonly workspaces: Pick<TaskWorkspaces, 'prepare' | 'ended'> | null
  readonly hooks: Pick<Hooks, 'prepare' | 'isBusy'>
}
