// Opens the thread of a task where it belongs: in the app-server that has it, else in the one for new threads.
import {
  type Codex,
  hasCode,
  isAtLeast,
  type Thread,
  type ThreadEnvironment,
  type ThreadListener,
  type ThreadPolicy,
  type ThreadTools,
  UnsupportedError,
} from '../../codex/index.ts'
import type { StoredTask } from '../../store/index.ts'
import {
  type AppServerKey,
  gitFoldersOf,
  type HostDirectory,
  hostOfHome,
  type RunningAppServer,
  rootsOf,
} from '../model/index.ts'
import { hostOfTask } from './host-of-task.ts'
import type { Link, Links } from './links.ts'
import type { Logins } from './logins.ts'
import { missedTokens } from './missed-tokens.ts'
import type { ThreadTokens } from './token-meter.ts'

export interface OpenedThread {
  readonly link: Link
  readonly codex: Codex
  readonly thread: Thread
  /** What it has used, where that was missed. */
  readonly tokens: ThreadTokens | null
}

/** Whether a person trusts what is in this folder, as a thread is told. */
export type TrustOf = (place: {
  readonly cwd: string
  readonly codexHome: string | null
  /** Another machine, which has folders of its own; null, absent: this one. */
  readonly host?: string | null
}) => Pick<ThreadPolicy, 'trustedRoot' | 'distrusted'>

/** The tools that a task was given; null: none. Rejects when one cannot be had. */
export type ToolsOf = (row: StoredTask) => Promise<ThreadTools | null>

interface OpenThreadParts {
  readonly trustOf: TrustOf
  readonly toolsOf: ToolsOf
  readonly hosts: HostDirectory
  /** Who hears of the thread when it is opened there. */
  readonly listenerOf: (appServer: RunningAppServer) => ThreadListener
}

/** Goes on with the thread of a task, or begins one. */
export async function openThread(
  { links, trustOf, toolsOf, hosts, logins, listenerOf }: OpenThreadParts & { links: Links; logins: Logins },
  row: StoredTask,
): Promise<OpenedThread> {
  const link = linkOf(row, links) ?? (await links.get(keyOf(row)))
  const codex = await link.codex()
  refuseWithoutRoots(row, codex)
  const tools = await toolsOf(row)
  const environment = await hostOfTask(row, hosts)
  const listener = listenerOf(link.appServer)
  // Side by side: the question about the login adds no time to a start.
  const [opened, login] = await Promise.allSettled([
    openOn(codex, row, { ...optionsOf(row, { trustOf, tools, environment }), listener }),
    logins.require(link, keyOf(row)),
  ])
  // Comes first: with a config.toml that it cannot read, codex wants a login whatever its provider is.
  if (opened.status === 'rejected') throw opened.reason
  if (login.status === 'rejected') throw login.reason
  return { link, codex, thread: opened.value, tokens: null }
}

/** Goes on with the thread of a task where it is loaded. */
export async function reopenThread(
  link: Link,
  row: StoredTask,
  { trustOf, toolsOf, hosts, listenerOf }: OpenThreadParts,
): Promise<OpenedThread> {
  const codex = await link.codex()
  const listener = listenerOf(link.appServer)
  // A turn that runs must be found also when a tool cannot be had any more: calls of it fail, and say so.
  const tools = await toolsOf(row).catch(() => null)
  const environment = await hostOfTask(row, hosts)
  const options = optionsOf(row, { trustOf, tools, environment })
  const thread = await codex.resumeThread(row.thread_id!, { ...options, listener })
  const hasEndedMeanwhile = row.turn_id !== null && thread.activeTurn === null
  const tokens = hasEndedMeanwhile ? await missedTokens(link.appServer.host, thread.id) : null
  return { link, codex, thread, tokens }
}

export function keyOf({
  codex_path,
  codex_home,
  host,
}: Pick<StoredTask, 'codex_path' | 'codex_home' | 'host'>): AppServerKey {
  const isRemote = hostOfHome(codex_home) !== null
  return { codexPath: codex_path, codexHome: codex_home, execHost: isRemote ? null : host }
}

/** To the app-server that has the thread. One of an earlier version may know hosts that the task was not given. */
function linkOf(row: StoredTask, links: Links): Link | null {
  const link = links.byId(row.app_server_id)
  return link?.appServer.key.execHost === keyOf(row).execHost ? link : null
}

async function openOn(codex: Codex, row: StoredTask, options: TaskOptions): Promise<Thread> {
  if (row.thread_id !== null) {
    try {
      return await codex.resumeThread(row.thread_id, options)
    } catch (error) {
      // A thread that codex had written nothing of leaves nothing behind: nothing is lost by starting another.
      const hasAnswered = row.turn_count > 1 || row.result !== null || row.restored_from !== null
      if (!hasCode(error, 'nothing-to-resume') || hasAnswered) throw error
    }
  }
  const fork =
    row.fork_of === null ? null : (JSON.parse(row.fork_of) as { threadId: string; lastTurnId?: string })
  if (!fork) return codex.startThread(options)
  const { threadId, lastTurnId } = fork
  return codex.forkThread(threadId, { ...options, ...(lastTurnId !== undefined && { lastTurnId }) })
}

type TaskOptions = ThreadPolicy & {
  readonly cwd: string
  readonly listener?: ThreadListener
  readonly tools?: ThreadTools
  readonly environment?: ThreadEnvironment
  readonly runtimeWorkspaceRoots?: string[]
}

/** From here on codex keeps all its workspace roots to one profile, and tells the model of them. */
const ROOTS_SINCE = '0.161.0'

/** Older ones could not write to the further repositories, or not only where they may. */
function refuseWithoutRoots(row: StoredTask, { codexVersion, isExperimental }: Codex): void {
  if (rootsOf(row) === null) return
  if (isExperimental && codexVersion !== null && isAtLeast(codexVersion, ROOTS_SINCE)) return
  const what = `a task in several repositories needs codex ${ROOTS_SINCE} or newer: it`
  throw new UnsupportedError(what, codexVersion)
}

/** Trust is looked up each time: it can be given and taken back while a task lasts. */
function optionsOf(
  row: StoredTask,
  {
    trustOf,
    tools,
    environment,
  }: { trustOf: TrustOf; tools: ThreadTools | null; environment: ThreadEnvironment | null },
): TaskOptions {
  const trust = trustOf({ cwd: row.cwd, codexHome: row.codex_home, host: row.host })
  const policy = JSON.parse(row.policy) as ThreadPolicy
  const gitFolders = gitFoldersOf(row)
  const roots = rootsOf(row)
  const place = { cwd: row.cwd, ...(environment && { environment }), ...(gitFolders && { gitFolders }) }
  const more = { ...(roots && { runtimeWorkspaceRoots: roots }), ...(tools && { tools }) }
  return { ...policy, ...trust, ...place, ...more }
}

/** Whether the folder of an open thread is trusted now as it was when it was opened. */
export function isTrustAsOpened(thread: Thread, row: StoredTask, trustOf: TrustOf): boolean {
  const { cwd, codex_home: codexHome, host } = row
  return thread.policy.trustedRoot === trustOf({ cwd, codexHome, host }).trustedRoot
}

/** As it is stored: without the trust, which is not the task's. */
export function storedPolicy({
  policy: { trustedRoot: _, distrusted: __, gitFolders: ___, ...policy },
}: Thread): string {
  return JSON.stringify(policy)
}

/** Limits are an account's, and an account is a codex home, or what a task without one yet was asked to run on. */
export function accountOf({
  codex_home,
  codex_path,
  account = null,
}: Pick<StoredTask, 'codex_home' | 'codex_path'> & Partial<Pick<StoredTask, 'account'>>): string {
  return codex_home ?? (account === null ? `default ${codex_path ?? ''}` : `account ${account}`)
}
