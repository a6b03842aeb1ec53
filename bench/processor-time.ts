import { readFileSync } from 'node:fs'

const TICK_MS = 10

/** What a process has used so far, with all its threads; 0 where /proc does not say. */
export function processorMs(pid: number): number {
  if (pid === process.pid) {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1_000
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS
  } catch {
    return 0
  }
}
