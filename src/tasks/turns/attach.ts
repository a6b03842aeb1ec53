// Finding a turn again: after a broken connection, after a restart of the service, after codex died.
import { setTimeout as delay } from 'node:timers/promises'
import {
  type Codex,
  hasCode,
  newestTurns,
  type protocol,
  redactValue,
  TransportClosedError,
  type Turn,
  toFailure,
  type UserInputQuestion,
} from '../../codex/index.ts'
import { type EventLog, type StoredMessage, type StoredTask, taskRow } from '../../store/index.ts'
import { backoffMs } from '../../util/backoff.ts'
import type { Approvals } from '../approvals/index.ts'
import {
  completedIn,
  keyOf,
  type Link,
  type Links,
  messageKeys,
  missedEvents,
  openQuestions,
  type Receiver,
  reopenThread,
  type ToolsOf,
  type TrustOf,
  turnWithMessage,
} from '../link/index.ts'
import type { HostDirectory, RunningAppServer } from '../model/index.ts'
import { noteAway, noteBack } from './note-away.ts'
import type { Run } from './run.ts'
import { type Settled, settledByDeath, settledByHistory } from './settled.ts'
import { placeKept, unsettledIn } from './turn-elsewhere.ts'

export interface AttachParts {
  readonly log: EventLog
  readonly links: Links
  readonly receiver: Receiver
  readonly trustOf: TrustOf
  readonly now: () => number
  readonly approvals: Pick<Approvals, 'elsewhere'>
  readonly toolsOf: ToolsOf
  readonly hosts: HostDirectory
  /** A question in a message, asked while nobody listened. */
  readonly onQuestion: (taskId: string, question: UserInputQuestion) => void
}

/** The thread as it is now: open again, what was missed is in the log. */
export interface Attached {
  /** Newest first. */
  readonly turns: readonly protocol.v2.Turn[]
  readonly active: Turn | null
  /** The turn that ran when the thread was opened; codex's list can be older than its end. */
  readonly joined: Turn | null
}

/** A thread whose first turn has just begun cannot be resumed for a moment (0.166). */
const MOMENT_MS = 3_000
/** How long an app-server that lives may keep us from a thread: one that is stopped or swapped out comes back. */
const PATIENCE_MS = 120_000

/** Opens the thread again on the app-server that has it. Rejects when that is gone, or has no such thread. */
export async function attach(
  run: Run,
  row: StoredTask,
  { link, parts }: { link: Link; parts: AttachParts },
): Promise<Attached> {
  const { log, links } = parts
  await rememberCompleted(run, row, log)
  const startedAt = performance.now()
  try {
    for (let tries = 0; ; tries++) {
      try {
        return await reattach(run, row, { link, parts })
      } catch (error) {
        const waitedMs = performance.now() - startedAt
        if (run.isDropped || !link.appServer.isAlive() || waitedMs > patienceFor(error)) throw error
        if (hasCode(error, 'host-unreachable')) await noteAway(run, row, { error, waitedMs, log })
        await delay(backoffMs(tries, RETRY), undefined, { signal: links.signal })
      }
    }
  } finally {
    await noteBack(run, log)
  }
}

/** Its codex may be at work on a machine that is away, for days: only a look there can tell. */
function patienceFor(error: unknown): number {
  if (hasCode(error, 'host-unreachable')) return Number.POSITIVE_INFINITY
  return hasCode(error, 'nothing-to-resume') ? MOMENT_MS : PATIENCE_MS
}

const RETRY = { baseMs: 50, maxMs: 1_000, random: Math.random }

async function reattach(
  run: Run,
  row: StoredTask,
  { link, parts }: { link: Link; parts: AttachParts },
): Promise<Attached> {
  const { trustOf, toolsOf, hosts, receiver } = parts
  const listenerOf = (appServer: RunningAppServer) => receiver.listenerOf(run, appServer)
  const before = parts.now()
  const opened = await reopenThread(link, row, { trustOf, toolsOf, hosts, listenerOf })
  run.setOpened(opened)
  const turns = await safeTurns(opened.codex, row.thread_id!)
  if (!(await mayBeAsking(opened.codex, row.thread_id!)))
    await parts.approvals.elsewhere.catchUp(row.id, { threadId: row.thread_id!, turns, before })
  if (row.turn_id !== null) takeIn(run, turns, { sinceTurnId: row.turn_id, threadId: row.thread_id!, parts })
  const { activeTurn, joinedTurn } = opened.thread
  return { turns, active: activeTurn, joined: joinedTurn }
}

/** Opens the thread of a task that rests, where it is loaded, and takes in the turns that were had there without us. */
export async function meet(run: Run, parts: AttachParts): Promise<void> {
  const { log, links } = parts
  const row = await log.change(({ db }) => taskRow(db, run.taskId))
  const link = links.byId(row?.app_server_id ?? null)
  if (!row?.thread_id || !link) return
  const { turns, active } = await attach(run, row, { link, parts })
  await noteUnsettled(run, row, { turns, active, parts })
}

/** The same of a thread that has just been opened. */
export async function takeInUnsettled(
  run: Run,
  row: StoredTask,
  { codex, ...rest }: { codex: Codex; active: Turn | null; parts: AttachParts },
): Promise<void> {
  await noteUnsettled(run, row, { turns: await safeTurns(codex, row.thread_id!), ...rest })
}

async function noteUnsettled(
  run: Run,
  row: StoredTask,
  { turns, active, parts }: { turns: readonly protocol.v2.Turn[]; active: Turn | null; parts: AttachParts },
): Promise<void> {
  const { log } = parts
  const unsettled = await log.change(({ db }) => unsettledIn(db, row, { turns, after: null }))
  const ids = [...unsettled.map(({ turnId }) => turnId), ...(active ? [active.id] : [])]
  await log.change((change) => placeKept(change, row, { turns, unsettled: ids }))
  for (const turnId of ids) await rememberTurn(run, turnId, log)
  if (ids[0] !== undefined) takeIn(run, turns, { sinceTurnId: ids[0], threadId: row.thread_id!, parts })
  run.noteElsewhere(unsettled.map((settled) => ({ settled })))
}

/** The app-server is gone: what does the history of the thread say? */
export async function lookAfterDeath(run: Run, row: StoredTask, parts: AttachParts): Promise<History> {
  const { log, links } = parts
  try {
    await rememberCompleted(run, row, log)
    const isKnown = async () => row.host === null || (await parts.hosts.get(row.host)) !== null
    const link = await untilReachable(() => links.get(keyOf(row)), { signal: links.signal, isKnown })
    const turns = await safeTurns(await link.codex(), row.thread_id!)
    await parts.approvals.elsewhere.catchUp(row.id, { threadId: row.thread_id!, turns, before: parts.now() })
    if (row.turn_id !== null)
      takeIn(run, turns, { sinceTurnId: row.turn_id, threadId: row.thread_id!, parts })
    return { turns, isKnown: true, note: 'the history of the thread does not have the turn' }
  } catch (error) {
    if (hasCode(error, 'nothing-to-resume'))
      return { turns: [], isKnown: true, note: 'codex had written nothing down' }
    const why = error instanceof Error ? error.message : error
    return { turns: [], isKnown: false, note: `the history of the thread could not be read: ${why}` }
  }
}

/** The machine that has the history may be away, or be starting. One that a person has removed is not waited for. */
async function untilReachable<T>(
  work: () => Promise<T>,
  { signal, isKnown }: { readonly signal: AbortSignal; readonly isKnown: () => Promise<boolean> },
): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (!hasCode(error, 'host-unreachable') || !(await isKnown())) throw error
      await delay(backoffMs(tries, RETRY), undefined, { signal })
    }
  }
}

/** What codex had written down when it died. */
export interface History {
  /** Newest first. */
  readonly turns: readonly protocol.v2.Turn[]
  /** False: it could not be looked at. */
  readonly isKnown: boolean
  readonly note: string
}

/**
 * How a turn ended whose app-server is gone. Only codex's own word makes it more than lost. `messages` are those the
 * turn was given: what codex had not written down of them will be sent again when the task is resumed.
 */
export async function settledAfterDeath(
  turnId: string,
  { history, messages }: { history: History; messages: readonly StoredMessage[] },
  link: Link | null,
): Promise<Settled> {
  const { turns, isKnown } = history
  const turn = turns.find(({ id }) => id === turnId)
  const told = turn ? settledByHistory(turn) : null
  if (told && told.status !== 'interrupted') return told
  const end = link ? await link.appServer.ended : null
  const reason = end?.reason ?? 'its app-server was gone when the service came back'
  const said = turn ? `the history of the thread has the turn as ${turn.status}` : history.note
  const gone = new TransportClosedError(reason, { hasCodexEnded: true, stderrTail: end?.stderrTail ?? [] })
  const unsaved = isKnown ? messages.filter((message) => !turnWithMessage(turns, message)) : []
  return {
    ...settledByDeath(turnId, { reason, history: said, failure: toFailure(gone) }),
    unsaved: unsaved.map(({ id }) => id),
  }
}

async function rememberCompleted(run: Run, row: StoredTask, log: EventLog): Promise<void> {
  await log.open(run.taskId)
  if (row.turn_id !== null) await rememberTurn(run, row.turn_id, log)
}

/** What the log has of a turn; it may have some before the task's row says that the turn has begun. */
export async function rememberTurn(run: Run, turnId: string, log: EventLog): Promise<void> {
  for (const key of await log.change(({ db }) => completedIn(db, run.taskId, turnId))) run.completed.add(key)
}

/** What the log does not have of this turn and of those that began since. */
export function takeIn(
  run: Run,
  turns: readonly protocol.v2.Turn[],
  { sinceTurnId, threadId, parts }: { sinceTurnId: string; threadId: string; parts: AttachParts },
): void {
  const since = turns.slice(0, turns.findIndex(({ id }) => id === sinceTurnId) + 1)
  const asked = openQuestions(since, threadId).filter(({ itemId }) => !run.completed.has(itemId ?? ''))
  for (const turn of since.toReversed()) {
    const missed = missedEvents(turn, { threadId, known: run.completed })
    for (const event of missed) parts.receiver.append(run, event)
    for (const key of messageKeys(turn)) run.completed.add(key)
  }
  for (const question of asked) parts.onQuestion(run.taskId, question)
}

/** Whether codex waits for an answer in this thread, or does not tell. What it waits for it has asked again. */
async function mayBeAsking(codex: Codex, threadId: string): Promise<boolean> {
  const { thread } = await codex.request('thread/read', { threadId })
  const { status } = thread
  if (status?.type !== 'active') return status?.type === undefined
  return !Array.isArray(status.activeFlags) || status.activeFlags.length > 0
}

/** Secrets are taken out here: replies, unlike notifications, come as codex wrote them. */
async function safeTurns(codex: Codex, threadId: string): Promise<readonly protocol.v2.Turn[]> {
  return redactValue(await newestTurns(requestOf(codex), threadId)) as protocol.v2.Turn[]
}

function requestOf(codex: Codex): Parameters<typeof newestTurns>[0] {
  return (method, params, options) => codex.request(method, params, options)
}
