// What a start of the service did, in lines for whoever operates it.
import type { OpenDatabase } from '../../tasks/index.ts'

export function databaseNews({ repair, migrated }: Pick<OpenDatabase, 'repair' | 'migrated'>): string[] {
  const news: string[] = []
  if (repair) {
    const { damage, incomplete, setAside } = repair
    const lost = incomplete.length > 0 ? `; rows may be missing of ${incomplete.join(', ')}` : ''
    news.push(
      `The database was damaged (${damage}) and has been repaired${lost}. The old file is ${setAside}`,
    )
  }
  if (migrated) {
    const { from, to, backup } = migrated
    news.push(`The database was brought from ${from} to ${to}. A copy from before is ${backup}`)
  }
  return news
}

export function takeoverNews({ appServers, tasks }: { appServers: number; tasks: number }): string[] {
  return [
    ...(appServers > 0 ? [`Took over ${count(appServers, 'app-server')} that went on running.`] : []),
    ...(tasks > 0 ? [`Found ${count(tasks, 'task')} at work again.`] : []),
  ]
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
