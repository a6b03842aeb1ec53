import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** One process of a data folder: an app-server, or what was started in it. */
export interface Leftover {
  /** All that one app-server has started shares it. */
  readonly marker: string
  readonly pid: number
  readonly command: string
}

/** Whoever is about to end gets this long. */
const DYING_MS = 3_000

/** Processes that run now: those of this data folder, or those that share a marker with these. */
export function leftoversOf(dataDir: string, among?: readonly Leftover[]): Leftover[] {
  const markers = among && new Set(among.map(({ marker }) => marker))
  const found: Leftover[] = []
  for (const pid of readdirSync('/proc').map(Number).filter(Number.isInteger)) {
    const environment = read(`/proc/${pid}/environ`)
    const marker = /DRAWBRIDGE_APP_SERVER=([0-9a-f]+)/.exec(environment)?.[1]
    const command = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')
    if (pid === process.pid || marker === undefined) continue
    const isOurs = markers ? markers.has(marker) : `${command}${environment}`.includes(dataDir)
    if (isOurs) found.push({ marker, pid, command })
  }
  return found
}

/** Commands whose app-server is gone. */
export async function orphansOf(dataDir: string): Promise<Leftover[]> {
  const deadline = Date.now() + DYING_MS
  for (;;) {
    const all = leftoversOf(dataDir)
    const living = new Set(
      all.filter(({ command }) => command.includes(' app-server ')).map(({ marker }) => marker),
    )
    const orphans = all.filter(({ marker }) => !living.has(marker))
    if (orphans.length === 0 || Date.now() > deadline) return orphans
    await delay(50)
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}
