import { readdirSync, readFileSync } from 'node:fs'

/** Processes of ours that still run: codex, its commands and the service itself, by what is in their environment. */
export async function leftoversOf(dataDir: string, among?: readonly string[]): Promise<string[]> {
  const markers = new Set((among ?? []).map((line) => line.split(' ')[0]))
  const found: string[] = []
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const text = read(`/proc/${pid}/environ`)
    const marker = /DRAWBRIDGE_APP_SERVER=([0-9a-f]+)/.exec(text)?.[1]
    const command = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')
    if (Number(pid) === process.pid || !marker) continue
    if (among ? markers.has(marker) : command.includes(dataDir) || isOurs(pid, dataDir))
      found.push(`${marker} ${pid} ${command}`)
  }
  return found
}

/** Whatever shares the marker of an app-server of this data folder. */
function isOurs(pid: string, dataDir: string): boolean {
  return read(`/proc/${pid}/environ`).includes(dataDir)
}

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}
