import type { Db, EventLog, StoredTask } from '../../store/index.ts'
import type { Links } from '../link/index.ts'
import type { HostDirectory } from '../model/index.ts'
import type { Scheduler, TurnEndParts } from '../turns/index.ts'
import type { Command } from './command.ts'
import type { FleetOptions } from './fleet-options.ts'
import type { Membership } from './membership.ts'

/** What a worker uses of the rest of its service. */
export interface FleetParts extends TurnEndParts {
  readonly options: FleetOptions
  readonly membership: Membership
  readonly log: EventLog
  readonly reader: Db
  readonly hosts: HostDirectory
  readonly links: Links
  readonly scheduler: Scheduler
  /** How many more turns could begin here now. */
  readonly room: () => number
  /** False: it is to take no new tasks. */
  readonly mayClaim: () => boolean
  /** These are this worker's from here on. */
  readonly onOwned: (tasks: readonly StoredTask[]) => void
  readonly wake: (taskId: string) => void
  /** Goes on with tasks that were at work, as after a restart. */
  readonly recover: (tasks: readonly StoredTask[]) => Promise<void>
  /** Ends the turn of a task that was given up and may still run. */
  readonly endOrphanTurn: (task: StoredTask) => Promise<void>
  /** Carries out a command on a task that this worker owns or has borrowed. */
  readonly act: (command: Command) => Promise<unknown>
  /** A question was not answered in time while its worker was gone. */
  readonly expire: (approvalId: string) => Promise<void>
  readonly tell: (line: string) => void
  readonly onError: (error: unknown) => void
}
