// What the service hears of its tasks: counted, told to whoever operates it, or the end of it.
import type { ApiMetrics } from '../../api/index.ts'
import { newerSchema, type Store } from '../../store/index.ts'
import type { TaskObserver } from '../../tasks/index.ts'
import type { DatabaseOutage } from './database-outage.ts'

interface Hearing {
  readonly tell: (line: string) => void
  readonly onBroken: (error: unknown) => void
}

interface Parts {
  readonly metrics: ApiMetrics
  readonly outage: DatabaseOutage
  readonly database: Store
}

export function observeTasks(
  { tell, onBroken }: Hearing,
  { metrics, outage, database }: Parts,
): TaskObserver {
  return {
    eventsStored: (count) => metrics.eventsStored(count),
    turnEnded: (status) => metrics.turnEnded(status),
    rpcAnswered: (answered) => metrics.rpcAnswered(answered),
    incident: ({ type, message }) => {
      // The log of the task tells of those, and at the end of the service they stay open.
      if (type !== 'question-withdrawn') tell(`${type}: ${message}`)
    },
    databaseTrouble: (error) => {
      if (!outage.hear(error)) tell(error.message)
    },
    broken: (error) => void causeOf(error, database).then(onBroken),
  }
}

/** Why nothing can be stored: a newer Drawbridge may have changed the tables while this one ran. */
async function causeOf(error: unknown, { kind, db, shownPlace: shown }: Store): Promise<unknown> {
  return (kind === 'postgres' && (await newerSchema({ db, shown }))) || error
}
