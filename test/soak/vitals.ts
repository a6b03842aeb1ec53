// What the run costs this process and codex, as Node and /proc tell it. Linux only.
import { readdirSync, readFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

export interface Vitals {
  readonly turns: number
  /** After a garbage collection. */
  readonly heapMb: number
  readonly fds: number
  readonly codexRssMb: number
}

export function takeVitals(turns: number, codexPid: number | null): Vitals {
  collectGarbage()
  return {
    turns,
    heapMb: process.memoryUsage().heapUsed / 1e6,
    fds: readdirSync('/proc/self/fd').length,
    codexRssMb: rssMb(codexPid),
  }
}

/** What keeps this process from ending, by kind: timers, pipes, processes. */
export function activeResources(): string {
  const counts = Map.groupBy(process.getActiveResourcesInfo(), (type) => type)
  return [...counts].map(([type, all]) => `${type} ${all.length}`).join(', ')
}

export function timersRunning(): number {
  return process.getActiveResourcesInfo().filter((type) => type === 'Timeout').length
}

/** Listeners on the process itself: one per name and listener. */
export function processListeners(): number {
  return process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0)
}

/** Every living process that was started, at any depth, with this variable. */
export function processesWith(name: string, value: string): string[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .filter((pid) => read(`/proc/${pid}/environ`).split('\0').includes(`${name}=${value}`))
    .map((pid) => `${pid} ${read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')}`)
}

function rssMb(pid: number | null): number {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1]
  return Number(kilobytes ?? 0) / 1e3
}

/** Empty when it is gone; so is the environment of a zombie. */
function read(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}
