// What a start of the service did, in lines for whoever operates it.
import { setTimeout as delay } from 'node:timers/promises'
import type { AppServerPool } from '../../hosts/index.ts'
import { LeaseLostError, type Store } from '../../store/index.ts'
import type { DurableTasks } from '../../tasks/index.ts'
import { asTyped } from '../process/index.ts'
import { count, repairLines } from '../screen/index.ts'

export function databaseNews({
  repair,
  migrated,
  unusedFile,
  shownPlace,
}: Pick<Store, 'repair' | 'migrated' | 'unusedFile' | 'shownPlace'>): string[] {
  const news: string[] = []
  if (repair) news.push(...repairLines(repair))
  if (migrated) {
    const { from, to, backup } = migrated
    const copy = backup === null ? '' : ` A copy from before is ${backup}`
    news.push(`The database was brought from ${from} to ${to}.${copy}`)
  }
  if (unusedFile !== null)
    news.push(
      asTyped(
        `${shownPlace} has no tasks yet, and those in ${unusedFile} are not used. To copy them: drawbridge db move`,
      ),
    )
  return news
}

/** A codex that does not answer keeps the door closed for so long. */
const PATIENCE_MS = 10_000

/** Opens the service's tasks, and tells what it found of those at work: before it resolves, or when they answer. */
export async function takeOver(
  tasks: Pick<DurableTasks, 'open' | 'running' | 'get' | 'recovered'>,
  pool: Pick<AppServerPool, 'list'>,
  { tell, patienceMs = PATIENCE_MS }: { tell: (line: string) => void; patienceMs?: number },
): Promise<void> {
  const startedAt = Date.now()
  const before = await tasks.running()
  await tasks.open()
  const told = tasks.recovered.then(async () => {
    const now = await Promise.all(before.map(({ id }) => tasks.get(id).catch(() => null)))
    const found = now.filter((task) => task !== null)
    const news = takeoverNews({
      appServers: pool.list().filter((appServer) => appServer.startedAt < startedAt).length,
      tasks: found.filter(({ turnId }) => turnId !== null).length,
      lost: found.filter(({ status }) => status === 'lost').length,
    })
    for (const line of news) tell(line)
  })
  const over = new AbortController()
  const late = delay(patienceMs, true, { signal: over.signal }).catch(() => false)
  const isLate = await Promise.race([told.then(() => false, joinsAgain), late])
  over.abort()
  if (!isLate) return
  tell('Tasks that were at work are still being looked for: their codex does not answer yet. Others go on.')
  // A failure is reported by the tasks themselves.
  told.catch(() => {})
}

/** A worker that was declared lost while it looked for its tasks begins anew by itself. */
function joinsAgain(error: unknown): false {
  if (error instanceof LeaseLostError) return false
  throw error
}

function takeoverNews(found: { appServers: number; tasks: number; lost: number }): string[] {
  const { appServers, tasks, lost } = found
  return [
    ...(appServers > 0 ? [`Took over ${count(appServers, 'app-server')} that went on running.`] : []),
    ...(tasks > 0 ? [`Found ${count(tasks, 'task')} at work again.`] : []),
    ...(lost > 0
      ? [asTyped(`Lost ${count(lost, 'task')} with codex: drawbridge task list --status lost`)]
      : []),
  ]
}
