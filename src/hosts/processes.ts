// Which processes live, who started them, and signals that cannot hit a stranger: every question and every
// signal is about an identity (pid and start), never about a bare pid.

import { procTable } from './proc-table.ts'
import type { ProcessFact, ProcessIdentity, ProcessTable } from './process-table.ts'
import { psTable } from './ps-table.ts'

export type { ProcessIdentity } from './process-table.ts'

/** In the environment of every app-server we start, with a random value; what it starts inherits it. */
export const MARKER_VARIABLE = 'DRAWBRIDGE_APP_SERVER'

// Windows tells us nothing here: there an app-server is ended through its own handle, alone.
const nothing: ProcessTable = {
  look: () => [],
  all: async () => [],
  withVariable: async () => [],
  scope: () => '',
  sessionName: () => null,
}
const table = { linux: procTable, android: procTable, win32: nothing }[process.platform as string] ?? psTable

/** null when there is no such process, or it is a zombie. */
export function identify(pid: number): ProcessIdentity | null {
  const fact = table.look([pid])[0]
  return fact ? identityOf(fact) : null
}

export function isAlive(identity: ProcessIdentity): boolean {
  return alive([identity]).length > 0
}

/** Those of them that still live. */
export function alive(identities: readonly ProcessIdentity[]): ProcessIdentity[] {
  const living = new Set(table.look(identities.map(({ pid }) => pid)).map(keyOf))
  return identities.filter((identity) => living.has(keyOf(identity)))
}

/** False when the identity is from before a reboot or from another container: its process cannot be here. */
export function couldBeHere(identity: ProcessIdentity): boolean {
  return identity.start.startsWith(table.scope())
}

/** Everything the living ones among these have started, at any depth; without themselves. */
export async function descendants(...roots: readonly ProcessIdentity[]): Promise<ProcessIdentity[]> {
  const facts = await table.all()
  const wanted = new Set(roots.map(keyOf))
  const found = facts.filter((fact) => wanted.has(keyOf(fact)))
  const rootCount = found.length
  const children = Map.groupBy(facts, (fact) => fact.parentPid)
  const seen = new Set(found.map((fact) => fact.pid))
  for (const parent of found) {
    for (const child of children.get(parent.pid) ?? []) {
      if (!seen.has(child.pid)) found.push(child)
      seen.add(child.pid)
    }
  }
  return found
    .slice(rootCount)
    .filter((fact) => !wanted.has(keyOf(fact)))
    .map(identityOf)
}

/**
 * Those in the session this process leads, without itself, also after it died. codex clears the environment of
 * the MCP servers it starts, so a session is all that ties them to an app-server that was killed. Ask while the
 * leader lives or has just died: only its members keep its pid from being given to another.
 */
export async function sessionMembers(leader: ProcessIdentity): Promise<ProcessIdentity[]> {
  const members = (await table.all()).filter((fact) => fact.sessionPid === leader.pid)
  const pidWasRecycled = members.some((fact) => fact.pid === leader.pid && fact.start !== leader.start)
  return pidWasRecycled ? [] : members.filter((fact) => fact.pid !== leader.pid).map(identityOf)
}

/** What to write down about a session, to recognise its members when its leader has long been dead. */
export function sessionName(member: ProcessIdentity): string | null {
  const name = table.sessionName(member.pid)
  return name !== null && isAlive(member) ? name : null
}

/** Those that are still in the session of this name, which this process once led; without itself. */
export async function membersOfSession(leaderPid: number, name: string): Promise<ProcessIdentity[]> {
  const facts = (await table.all()).filter((fact) => fact.sessionPid === leaderPid && fact.pid !== leaderPid)
  return facts.map(identityOf).filter((member) => sessionName(member) === name)
}

/** Everything that carries this app-server's marker, wherever it was reparented to. Linux and macOS only. */
export async function processesWithMarker(marker: string): Promise<ProcessIdentity[]> {
  return (await table.withVariable(MARKER_VARIABLE, marker)).map(identityOf)
}

/** Signals the process if it is still the same one. Never pid 1, never ourselves. False when nothing was sent. */
export function signal(identity: ProcessIdentity, name: 'SIGTERM' | 'SIGKILL'): boolean {
  if (identity.pid <= 1 || identity.pid === process.pid || !isAlive(identity)) return false
  try {
    return process.kill(identity.pid, name)
  } catch {
    return false // it died in between, or belongs to another user
  }
}

function identityOf({ pid, start }: ProcessFact): ProcessIdentity {
  return { pid, start }
}

function keyOf({ pid, start }: ProcessIdentity): string {
  return `${pid} ${start}`
}
