// Starting, resuming and forking threads: the policy goes out with the request, is held against the reply, and what
// stands in the way comes back as a type.

import { anyThere, type ThreadEnvironment } from '../environment.ts'
import {
  ExperimentalMethodError,
  openingError,
  ResumedOtherThreadError,
  replyText,
  UnsupportedError,
} from '../errors/index.ts'
import { type PathFacts, realPathOf } from '../host.ts'
import {
  type PolicyIncident,
  pickPolicy,
  policyDifferences,
  policyParams,
  problemWithFolder,
  type RightsContext,
  refuseUnkeptAccess,
  refuseWithoutTrust,
  type ThreadPolicy,
  UnsafeFolderError,
  WeakerSandboxError,
  weakness,
  withoutPolicy,
} from '../policy/index.ts'
import { type ClientParams, isAtLeast, type protocol } from '../protocol/index.ts'
import type { ThreadApprovals } from '../requests/index.ts'
import { dynamicTools, type ThreadTools, type Tool } from '../tools/index.ts'
import { refuseMoved, withRealPaths } from './allowed-paths.ts'
import { type Environments, inEnvironment, profilesThere } from './environments.ts'
import type { OpenThreads } from './open-threads.ts'
import { SHUT_CONFIG, SHUT_PARAMS } from './placement.ts'
import { refuseBadFolder, refuseUnknownEffort } from './refuse-before.ts'
import { Thread, type ThreadSettings } from './thread.ts'
import type { ThreadListener } from './thread-listener.ts'
import { type Place, ThreadPlaces } from './thread-places.ts'
import { newestTurns, type Request, type TurnContext } from './turn-context.ts'

type Without<Params, Keys extends string> = Omit<Params, Keys | keyof ThreadPolicy>

/** Not sent to codex. */
interface OwnOptions {
  /** Who answers for the thread first. */
  readonly approvals?: ThreadApprovals
  /** Who hears of it. */
  readonly listener?: ThreadListener
  /** Tools that the model can call: as dynamic tools, or as a tool server gives them. */
  readonly tools?: ThreadTools | readonly Tool[]
  /** Another machine for its commands, where `cwd` is. Name it on every start, resume and fork: codex forgets it. */
  readonly environment?: ThreadEnvironment
}

/** The policy, our own options, and codex's other parameters of `thread/start`. */
export type ThreadOptions = ThreadPolicy & OwnOptions & Without<ClientParams<'thread/start'>, never>
export type ResumeOptions = ThreadPolicy &
  OwnOptions &
  Without<
    ClientParams<'thread/resume'>,
    'threadId' | 'history' | 'path' | 'excludeTurns' | 'initialTurnsPage'
  >
export type ForkOptions = ThreadPolicy &
  OwnOptions &
  Without<ClientParams<'thread/fork'>, 'threadId' | 'path' | 'excludeTurns'>

/** Our own options, as they are used. */
interface OpenedWith extends Omit<OwnOptions, 'tools'> {
  readonly tools?: ThreadTools
}

function withTools<Options extends OwnOptions>(
  options: Options,
): Omit<Options, 'tools'> & { readonly tools?: ThreadTools } {
  const { tools, ...rest } = options
  if (!tools) return rest
  return { ...rest, tools: isList(tools) ? dynamicTools(tools) : tools }
}

function isList(tools: ThreadTools | readonly Tool[]): tools is readonly Tool[] {
  return Array.isArray(tools)
}

/** codex answers when the MCP servers that it must have are there, and gives each 30 s. */
function limitOf({ tools }: OpenedWith): { timeoutMs?: number } {
  return tools?.mcpServers ? { timeoutMs: WITH_SERVERS_MS } : {}
}

const WITH_SERVERS_MS = 45_000

type ThreadReply =
  | protocol.v2.ThreadStartResponse
  | protocol.v2.ThreadResumeResponse
  | protocol.v2.ThreadForkResponse

/** Where a thread is to work, and where that really is. */
interface Folder {
  readonly named: string
  readonly real: string
}

/** codex tells of its own machine, and of the reviewer that it was told until the next turn. */
function settingsThere<
  Settings extends Pick<ThreadSettings, 'cwd' | 'runtimeWorkspaceRoots' | 'approvalsReviewer'>,
>(
  settings: Settings,
  { cwd, approvalsReviewer = settings.approvalsReviewer }: { cwd: string } & ThreadPolicy,
): Settings {
  return { ...settings, cwd, runtimeWorkspaceRoots: [cwd], approvalsReviewer }
}

/** What a thread is opened with. */
interface Opening {
  readonly place: Place
  readonly policy: ThreadPolicy
  readonly own: OpenedWith
  /** null: codex says where. */
  readonly folder: Folder | null
}

const ASK: ThreadPolicy = { approvalPolicy: 'on-request' }
const SAFE: ThreadPolicy = { ...ASK, sandbox: 'read-only' }

/** What opening threads needs of the client. */
export interface OpenerParts {
  readonly request: Request
  readonly threads: OpenThreads
  readonly version: () => string | null
  readonly rights: RightsContext
  /** Of the machine codex runs on. */
  readonly paths: PathFacts
  readonly environments: Environments
  readonly turnContext: (isEphemeral: boolean) => TurnContext
  readonly onIncident: (incident: PolicyIncident) => void
}

/** Older versions pass over a profile without a word, and the thread gets whatever the configuration allows. */
function requireProfiles({ permissions }: ThreadPolicy, version: string | null): void {
  const isKnownToLack = version !== null && !isAtLeast(version, '0.142.0')
  if (permissions !== undefined && isKnownToLack) throw new UnsupportedError('a permission profile', version)
}

export class ThreadOpener {
  readonly #parts: OpenerParts
  /** Threads that are being resumed. codex repeats their open questions before we know them. */
  readonly #opening = new Map<string, Promise<unknown>>()

  readonly #places: ThreadPlaces

  constructor(parts: OpenerParts) {
    this.#parts = parts
    this.#places = new ThreadPlaces(parts)
  }

  async start(options: ThreadOptions): Promise<Thread> {
    const asked = { ...(options.permissions ? ASK : SAFE), ...pickPolicy(options) }
    const place = await this.#places.of(options)
    const policy = await withRealPaths(asked, place.paths)
    const folder = await this.#refuseBefore(policy, options.cwd ?? null, place)
    const own = withTools(options)
    const { dynamicTools } = own.tools ?? {}
    if (dynamicTools && !this.#parts.rights.isExperimental) throw new ExperimentalMethodError('dynamicTools')
    const there = place.reached && inEnvironment(place.reached.id, folder!.named)
    const params = { ...this.#params(own, policy, place), ...(dynamicTools && { dynamicTools }), ...there }
    const reply = await this.#parts.request('thread/start', params, limitOf(own))
    return this.#open('thread/start', reply, { policy, own, folder, place })
  }

  async resume(threadId: string, options: ResumeOptions): Promise<Thread> {
    this.#parts.threads.expect(threadId)
    const opening = this.#reopen('thread/resume', threadId, options)
    this.#opening.set(threadId, opening)
    try {
      const { thread, isRunning } = await opening
      if (isRunning) await this.#joinRunning(thread)
      return thread
    } finally {
      if (this.#opening.get(threadId) === opening) {
        this.#opening.delete(threadId)
        this.#parts.threads.expectNoMore(threadId)
      }
    }
  }

  /** Resolves when the thread is open, or cannot be opened; at once when nobody is opening it. */
  async opened(threadId: string | null): Promise<void> {
    await this.#opening.get(threadId ?? '')?.catch(() => {})
  }

  async fork(threadId: string, options: ForkOptions): Promise<Thread> {
    return (await this.#reopen('thread/fork', threadId, options)).thread
  }

  async #reopen(
    method: 'thread/resume' | 'thread/fork',
    threadId: string,
    options: ResumeOptions | ForkOptions,
  ): Promise<{ thread: Thread; isRunning: boolean }> {
    const policy = pickPolicy(options)
    const place = await this.#places.of(options, { mayBeAway: method === 'thread/resume' })
    if (!place.away) await refuseMoved(policy, place.paths)
    const folder = await this.#refuseBad(policy, options.cwd ?? null, place)
    const own = withTools(options)
    const isThere = place.environment !== null
    const isLoaded = isThere && (method === 'thread/fork' || (await this.#places.prepare(threadId, place)))
    const { config, ...asked } = this.#params(own, policy, place)
    const shut = isThere ? { config: { ...config, ...SHUT_CONFIG } as never } : { ...(config && { config }) }
    const params = {
      ...{ ...asked, ...shut, ...(isLoaded && SHUT_PARAMS) },
      ...{ ...this.#withoutTurns(), threadId },
    }
    const reply = await this.#parts.request(method, params, limitOf(own)).catch((error) => {
      throw openingError(threadId, error)
    })
    const got = replyText(reply?.thread?.id, { method, field: 'thread.id' })
    if (method === 'thread/resume' && got !== threadId) throw new ResumedOtherThreadError(threadId, got)
    const thread = await this.#open(method, reply, { policy, own, folder, place })
    return { thread, isRunning: reply.thread.status?.type === 'active' }
  }

  /** A turn that runs already, started by whoever was here before, is one of the thread's turns too. */
  async #joinRunning(thread: Thread): Promise<void> {
    const turns = await newestTurns(this.#parts.request, thread.id).catch(() => [])
    const running = turns.find(({ status }) => status === 'inProgress')
    if (running) thread.join(running.id)
  }

  /** The whole history in one reply is what makes long threads slow; from 0.129 to 0.150 codex insists on it. */
  #withoutTurns(): { excludeTurns?: true } {
    const { version, rights } = this.#parts
    const known = version()
    const isRefused = known !== null && isAtLeast(known, '0.129.0') && !isAtLeast(known, '0.151.0')
    return isRefused && !rights.isExperimental ? {} : { excludeTurns: true }
  }

  /** The caller's options with the policy in the words of the connected version. */
  #params<Options extends ThreadPolicy & OpenedWith>(
    { environment, ...options }: Options,
    policy: ThreadPolicy,
    place: Place,
  ) {
    const rest = { ...withoutPolicy(options), ...(environment && { cwd: environment.localFolder }) }
    const { version } = this.#parts
    const rights = this.#places.rightsIn(place)
    requireProfiles(policy, version())
    const onMapped = (incident: PolicyIncident) => this.#report(incident, options)
    const own = { ...rest, ...policyParams(policy, { ...rights, version: version(), onMapped }) }
    const { reached } = place
    const params = reached ? { ...own, config: { ...own.config, ...profilesThere(reached.protection) } } : own
    const { mcpServers } = options.tools ?? {}
    if (!mcpServers) return params
    const { mcp_servers: named } = Object(params.config) as { mcp_servers?: object }
    // Not in the policy: it is stored and shown, and these have secrets in them.
    return { ...params, config: { ...params.config, mcp_servers: { ...named, ...mcpServers } as never } }
  }

  /** A path that codex names and we did not is looked up when the thread is known: its notifications come at once. */
  async #open(method: string, reply: ThreadReply, opening: Opening): Promise<Thread> {
    const thread = this.#openAtOnce(method, reply, opening)
    const { cwd } = reply
    if (opening.place.environment || typeof cwd !== 'string' || cwd === opening.folder?.named) return thread
    const { rights, paths, threads } = this.#parts
    const problem = problemWithFolder(opening.policy, await realPathOf(cwd, paths), rights.protection)
    if (problem === null) return thread
    threads.release(thread.id)
    throw this.#unused(thread.id, new UnsafeFolderError(problem))
  }

  #openAtOnce(method: string, reply: ThreadReply, { policy, own, folder, place }: Opening): Thread {
    const { threads, turnContext } = this.#parts
    const { approvals, listener, tools } = own
    const threadId = replyText(reply?.thread?.id, { method, field: 'thread.id' })
    const { thread, ...said } = reply
    const asked = method === 'thread/start' ? {} : policy
    const settings = place.environment ? settingsThere(said, { ...asked, cwd: folder!.named }) : said
    for (const difference of policyDifferences(policy, settings, threadId)) this.#report(difference, own)
    const open = threads.get(threadId)
    const isFresh = method !== 'thread/resume'
    this.#checkRights(reply, { policy, own, folder, place, method, isFresh, isOpen: open !== undefined })
    if (open && approvals) open.setApprovals(approvals)
    if (open && listener) open.setListener(listener)
    if (open && tools) open.tools = tools
    const there = this.#places.open(place, { thread, isNew: method === 'thread/start' })
    if (open && place.environment) open.setPlace(there)
    tools?.opened?.({ id: threadId, parentOf: (id) => threads.parentOf(id) })
    if (open) return open
    const context = turnContext(thread.ephemeral === true)
    const isNew = method === 'thread/start'
    const opened = new Thread(threadId, {
      ...{ settings, policy, context, isNew, ...there },
      approvals: approvals ?? null,
      listener: listener ?? null,
      tools: tools ?? null,
    })
    threads.add(opened)
    return opened
  }

  /** Of a thread that is not open yet its listener has to be told here. */
  #report(incident: PolicyIncident, { listener }: OpenedWith): void {
    this.#parts.onIncident(incident)
    try {
      listener?.incident?.(incident)
    } catch (error) {
      process.emitWarning(`a thread's listener threw: ${error}`)
    }
  }

  async #refuseBad(policy: ThreadPolicy, cwd: string | null, place: Place): Promise<Folder | null> {
    const { request, version } = this.#parts
    const { effort } = policy
    const { paths } = place
    const isElsewhere = place.environment !== null
    refuseUnkeptAccess(policy, { ...this.#places.rightsIn(place), version: version(), isElsewhere })
    await refuseBadFolder(cwd, paths)
    await refuseUnknownEffort(effort, request)
    return cwd === null ? null : { named: cwd, real: await realPathOf(cwd, paths) }
  }

  /** Before codex is asked at all: what can be told of a new thread without it. */
  async #refuseBefore(policy: ThreadPolicy, cwd: string | null, place: Place): Promise<Folder | null> {
    const rights = this.#places.rightsIn(place)
    const folder = await this.#refuseBad(policy, cwd, place)
    refuseWithoutTrust(policy, rights)
    const problem = folder && problemWithFolder(policy, folder.real, rights.protection)
    if (problem) throw new UnsafeFolderError(problem)
    return folder
  }

  /** A thread that can do more than it was asked for is not used. One that already runs is reported, and watched. */
  #checkRights(
    { thread, ...settings }: ThreadReply,
    {
      policy,
      own,
      folder,
      place,
      method,
      isFresh,
      isOpen,
    }: Opening & {
      method: string
      isFresh: boolean
      isOpen: boolean
    },
  ): void {
    const rights = this.#places.rightsIn(place)
    const { cwd = '' } = settings
    const isNamed = folder !== null && (cwd === folder.named || !cwd || place.environment !== null)
    const problem = problemWithFolder(policy, isNamed ? folder.real : cwd, rights.protection)
    const isKept = place.environment !== null && method !== 'thread/start'
    const context = isKept ? { ...rights, protection: anyThere(rights.protection) } : rights
    const found = isOpen ? null : weakness(policy, settings, { ...context, isFresh })
    if (found !== null && thread.status?.type === 'active') {
      const { activePermissionProfile: got = null } = settings
      const asked = `${rights.protection?.profile}-ro`
      return this.#report(
        { type: 'policy-differs', threadId: thread.id, field: 'permissions', asked, got },
        own,
      )
    }
    if (problem === null && found === null) return
    const why = problem === null ? new WeakerSandboxError(thread.id, found!) : new UnsafeFolderError(problem)
    throw this.#unused(thread.id, why)
  }

  #unused(threadId: string, why: Error): Error {
    void this.#parts.request('thread/unsubscribe', { threadId }).catch(() => {})
    return why
  }
}
