// What a process and everything that descends from it, detached or not, take of the machine's memory.
import { readdirSync, readFileSync } from 'node:fs'

export interface TreeMemory {
  /** The process itself and the app-servers. */
  readonly runners: number
  /** Everything else: what Codex runs, and the sandboxes around it. */
  readonly commands: number
}

/** In bytes, as PSS: a page that several share counts once, in parts. */
export function treeMemory(root: number): TreeMemory {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const stat = read(`/proc/${name}/stat`)
    parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
  }
  const isInTree = (pid: number): boolean => pid === root || (pid > 1 && isInTree(parents.get(pid) ?? 0))
  let runners = 0
  let commands = 0
  for (const pid of [...parents.keys()].filter(isInTree)) {
    if (pid === root || isAppServer(pid)) runners += pssOf(pid)
    else commands += pssOf(pid)
  }
  return { runners, commands }
}

function isAppServer(pid: number): boolean {
  return read(`/proc/${pid}/cmdline`).split('\0')[1] === 'app-server'
}

function pssOf(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) * 1024
}

/** Empty when the process has just ended. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
