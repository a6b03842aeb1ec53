// Linux: everything from /proc, without starting a process.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ProcessFact, ProcessTable } from './process-table.ts'

/** Reading /proc blocks for some 20 µs a process; after this many the event loop gets its turn. */
const PROCESSES_PER_TURN = 100

let knownScope: string | undefined

/** The pid namespace belongs to it: a container's pid 7 is not the host's, though both share the boot id. */
function scope(): string {
  knownScope ??= `${read('/proc/sys/kernel/random/boot_id')?.toString().trim()}/${readNamespace()}/`
  return knownScope
}

export const procTable: ProcessTable = {
  look: (pids) => pids.map(factOf).filter((fact) => fact !== null),
  all: () => scan(factOf),
  withVariable: (name, value) => {
    const wanted = Buffer.from(`\0${name}=${value}\0`)
    return scan((pid) => (hasVariable(pid, wanted) ? factOf(pid) : null))
  },
  scope,
  sessionName,
}

/** The kernel makes an autogroup with every session and numbers them; unlike a session's id, no number comes twice. */
function sessionName(pid: number): string | null {
  const name = /^\/autogroup-[1-9]\d*/.exec(read(`/proc/${pid}/autogroup`)?.toString() ?? '')?.[0]
  return name ? scope() + name : null
}

async function scan(look: (pid: number) => ProcessFact | null): Promise<ProcessFact[]> {
  const facts: ProcessFact[] = []
  const pids = processFolders()
  for (const [index, pid] of pids.entries()) {
    if (index % PROCESSES_PER_TURN === 0) await nextTurn()
    const fact = look(Number(pid))
    if (fact) facts.push(fact)
  }
  return facts
}

/** Without a free file descriptor nothing can be seen; that must not end the program. */
function processFolders(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  } catch {
    return []
  }
}

function factOf(pid: number): ProcessFact | null {
  const stat = read(`/proc/${pid}/stat`)?.toString('latin1')
  if (!stat) return null
  // The command's name, in parentheses, may itself hold spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, parentPid, , sessionPid] = fields
  const startTicks = fields[19]
  if (state === 'Z' || state === 'X' || !startTicks) return null
  return { pid, start: scope() + startTicks, parentPid: Number(parentPid), sessionPid: Number(sessionPid) }
}

function hasVariable(pid: number, wanted: Buffer): boolean {
  const environment = read(`/proc/${pid}/environ`)
  if (!environment) return false
  return environment.includes(wanted) || environment.subarray(0, wanted.length - 1).equals(wanted.subarray(1))
}

function read(path: string): Buffer | null {
  try {
    return readFileSync(path)
  } catch {
    return null
  }
}

function readNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return ''
  }
}
