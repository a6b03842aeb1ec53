// Ends an app-server with everything it started: commands in their own sessions, MCP servers, what they left behind.
import {
  alive,
  descendants,
  membersOfSession,
  type ProcessIdentity,
  processesWithMarker,
  sessionMembers,
  signal,
} from '../processes.ts'
import { until } from '../until.ts'

/** The app-server at the top of a tree, as its owner or its finder can handle it. */
export interface TreeRoot {
  /** null where the system does not tell identities: then only the root itself is ended. */
  readonly identity: ProcessIdentity | null
  readonly marker: string
  /** It leads its own session and lives, or has died just now: whoever is in that session, it has brought there. */
  readonly hasSession: boolean
  /** The name of its session, by which members are known when it has been dead for longer. */
  readonly sessionName?: string | null
  isGone(): boolean
  /** Asks it to leave by ending its input, where we hold that. */
  endInput?(): void
  signal(name: 'SIGTERM' | 'SIGKILL'): void
}

const CLEAN_EXIT_MS = 250
const PATIENCE = { termMs: 3_000, leftoverTermMs: 1_000 }
const KILL_MS = 1_000
/** A process can fork between being found and being killed: look again, this often. */
const KILL_ROUNDS = 3

export interface EndedTree {
  /** What outlived the app-server and was sent a signal. */
  readonly leftovers: readonly ProcessIdentity[]
  /** What no signal could end: another user's, or stuck in the kernel. */
  readonly survivors: readonly ProcessIdentity[]
}

/** Resolves within about seven seconds, or `patience`, whatever the processes do. */
export async function endTree(root: TreeRoot, patience = PATIENCE): Promise<EndedTree> {
  const family = await familyOf(root)
  root.endInput?.()
  if (!(await until(() => root.isGone(), root.endInput ? CLEAN_EXIT_MS : 0))) {
    root.signal('SIGTERM')
    if (!(await until(() => root.isGone(), patience.termMs))) {
      family.push(...(await familyOf(root)))
      root.signal('SIGKILL')
      await until(() => root.isGone(), KILL_MS)
    }
  }
  const ended = await endLeftovers(root.marker, family, patience.leftoverTermMs)
  const isStuck = root.identity !== null && !root.isGone()
  return isStuck ? { ...ended, survivors: [root.identity!, ...ended.survivors] } : ended
}

async function familyOf(root: TreeRoot): Promise<ProcessIdentity[]> {
  if (!root.identity) return []
  const members = await membersIn(root, root.identity)
  return [...members, ...(await descendants(root.identity, ...members))]
}

async function membersIn({ hasSession, sessionName }: TreeRoot, leader: ProcessIdentity) {
  if (hasSession) return sessionMembers(leader)
  return sessionName ? membersOfSession(leader.pid, sessionName) : []
}

/** Ends those of the family that still live, what they started, and everything with the marker. */
async function endLeftovers(
  marker: string,
  family: readonly ProcessIdentity[],
  termMs: number,
): Promise<EndedTree> {
  let left = await leftovers(marker, family)
  const leftover = new Map(left.map((identity) => [identity.pid, identity]))
  for (const identity of left) signal(identity, 'SIGTERM')
  await until(() => alive(left).length === 0, termMs)
  for (let round = 0; round < KILL_ROUNDS; round++) {
    left = await leftovers(marker, left)
    if (left.length === 0) break
    for (const identity of left) {
      leftover.set(identity.pid, identity)
      signal(identity, 'SIGKILL')
    }
    await until(() => alive(left).length === 0, KILL_MS / KILL_ROUNDS)
  }
  return { leftovers: [...leftover.values()], survivors: alive(left) }
}

async function leftovers(marker: string, family: readonly ProcessIdentity[]): Promise<ProcessIdentity[]> {
  const living = alive(family)
  const started = living.length > 0 ? await descendants(...living) : []
  const found = [...living, ...started, ...(await processesWithMarker(marker))]
  const byPid = new Map(found.map((identity) => [identity.pid, identity]))
  byPid.delete(process.pid)
  return [...byPid.values()]
}
