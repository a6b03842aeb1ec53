// What a start of the service did, in lines for whoever operates it.
import type { AppServerPool } from '../../hosts/index.ts'
import type { Store } from '../../store/index.ts'
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

/** Opens the service's tasks, and says what it found of those at work. */
export async function takeOver(
  tasks: Pick<DurableTasks, 'open' | 'running' | 'get'>,
  pool: Pick<AppServerPool, 'list'>,
): Promise<string[]> {
  const startedAt = Date.now()
  const before = await tasks.running()
  await tasks.open()
  const now = await Promise.all(before.map(({ id }) => tasks.get(id)))
  return takeoverNews({
    appServers: pool.list().filter((appServer) => appServer.startedAt < startedAt).length,
    tasks: now.filter(({ turnId }) => turnId !== null).length,
    lost: now.filter(({ status }) => status === 'lost').length,
  })
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
