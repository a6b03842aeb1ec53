import type { Resolve } from '../codex/index.ts'
import type {
  AccountService,
  Caller,
  Draft,
  FilePlace,
  NewUpload,
  Task,
  TaskService,
  TaskTerminals,
} from '../tasks/index.ts'
import type { Credentials } from './auth/credentials.ts'
import type { TokenRows } from './auth/token-rows.ts'
import type {
  AccountPool,
  AddHost,
  AddLentAccount,
  AppliedWork,
  ApplyWork,
  CalledTool,
  ChangeAccountPool,
  ChangeLentAccount,
  CheckedAccount,
  CheckedHost,
  CheckHost,
  CleanedWorkspaces,
  CleanWorkspaces,
  Committed,
  CommitWork,
  DiscardedWork,
  DiscardWork,
  DoctorReport,
  FileEntry,
  Host,
  LentAccount,
  LentLogin,
  ProjectLook,
  RemovedSnapshot,
  RemovedWorkspace,
  RemoveWorkspace,
  RestoreSnapshot,
  Snapshot,
  StartLentLogin,
  Status,
  TakeSnapshot,
  ToolSource,
  TrustedFolder,
  TrustList,
  TrustLook,
  UploadLimits,
  Work,
  WorkDiff,
  Workspace,
} from './contract.ts'
import type { ApiMetrics } from './metrics.ts'

/** What a service may offer besides; where it does not, the route says so. */
export interface OfferedService extends TaskService {
  /** What would be sent for a notice. */
  dryRunNotice?(noticeId: string): Promise<Draft | { readonly error: string }>
  /** codex's, on the default key. */
  readonly account?: AccountService
  /** Codex's own terminal on a task. */
  readonly terminals?: TaskTerminals
}

/** Which folders are trusted. What it throws is a DrawbridgeError: `trust-damaged`, `trust-busy`, `trust-unreadable`. */
export interface TrustDoor {
  list(): TrustList
  /** null: no such folder. Without `codexHome`, by the default one. */
  look(at: { readonly cwd: string; readonly codexHome: string | null }): TrustLook | null
  /** Trusts what was looked at, as it was then. */
  trust(look: ProjectLook, by: string): TrustedFolder
  /** false: it was not trusted. */
  revoke(root: string): boolean
}

/** Other machines for tasks. What it is asked for and cannot do it throws with what to do about it. */
export interface HostDoor {
  list(): Promise<Host[]>
  add(request: AddHost, options: { readonly by: string }): Promise<Host>
  /** Connects, and says what is there. */
  check(name: string, request: CheckHost): Promise<CheckedHost>
  /** false: there is no such host. */
  remove(name: string): Promise<boolean>
}

/** MCP over HTTP. Whoever gets there has been let in by a token. */
export type McpDoor = (request: Request, caller: McpDoorCaller) => Promise<Response>

export interface McpDoorCaller {
  readonly service: OfferedService
  readonly by: Omit<Caller, 'signal'>
  /** What its idempotency keys are told apart by. */
  readonly scope: string
  /** Takes one of the places for requests that wait; throws when there is none. Returns how to give it back. */
  hold(close: () => void): () => void
}

/** The tools that tasks can get. */
export interface ToolDoor {
  list(): readonly ToolSource[]
  /** Tries one, as the model would. */
  call(name: string, given: unknown, options: { readonly signal: AbortSignal }): Promise<CalledTool>
}

/** The accounts that tasks borrow. What it throws is a DrawbridgeError. */
export interface AccountsDoor {
  list(): Promise<LentAccount[]>
  add(account: AddLentAccount, by: { readonly by: string }): Promise<LentAccount>
  startLogin(account: StartLentLogin, by: { readonly by: string }): Promise<LentLogin>
  /** null: there was none. */
  pendingLogin(): LentLogin | null
  cancelLogin(): Promise<void>
  change(name: string, fields: ChangeLentAccount, by: { readonly by: string }): Promise<LentAccount>
  check(name: string): Promise<CheckedAccount>
  remove(name: string): Promise<void>
  revoke(name: string): Promise<void>
  readonly pools: {
    list(): Promise<AccountPool[]>
    change(name: string, fields: ChangeAccountPool, by: { readonly by: string }): Promise<AccountPool>
  }
}

/** The workspaces that tasks work in. What it throws is a DrawbridgeError. */
export interface WorkspacesDoor {
  list(options: { readonly sizes: boolean }): Promise<Workspace[]>
  clean(request: CleanWorkspaces): Promise<CleanedWorkspaces>
  remove(id: string, request: RemoveWorkspace): Promise<RemovedWorkspace>
  show(taskId: string, query: { readonly repository?: string | undefined }): Promise<Work>
  diff(
    taskId: string,
    query: {
      readonly turn?: number | undefined
      readonly paths?: readonly string[] | undefined
      readonly repository?: string | undefined
    },
  ): Promise<WorkDiff>
  commit(taskId: string, request: CommitWork): Promise<Committed>
  apply(taskId: string, request: ApplyWork): Promise<AppliedWork>
  discard(taskId: string, request: DiscardWork): Promise<DiscardedWork>
}

/** A file that was opened. Whoever has it reads it to its end or closes it; to close it twice is no harm. */
export interface OfferedFile {
  readonly name: string
  readonly bytes: number
  readonly modifiedAt: number
  /** Another one for other content. */
  readonly tag: string
  /** Both included. */
  read(range: { readonly from: number; readonly to: number }): AsyncGenerator<Uint8Array, void>
  close(): Promise<void>
}

/** The files of tasks. What it throws is a DrawbridgeError. */
export interface FilesDoor {
  readonly limits: Readonly<Omit<UploadLimits, 'types'>> & { readonly types: readonly string[] | null }
  list(place: FilePlace, asked: AskedFile): Promise<ListedFolder>
  open(place: FilePlace, asked: AskedFile): Promise<OfferedFile>
  /** Removes the file of an upload when `record` has taken it off the record. */
  takeBack<T extends { readonly name: string }>(place: FilePlace, record: () => Promise<T>): Promise<T>
  /** What was given to a task that is deleted now. Never rejects. */
  forget(taskId: string): Promise<void>
  /** Gives what was stored to `record`. When that fails, or anything before, nothing of it stays. */
  receive<T>(
    place: FilePlace,
    files: AsyncIterable<{ readonly filename: string | null; readonly body: AsyncIterable<Uint8Array> }>,
    record: (stored: readonly NewUpload[]) => Promise<T>,
  ): Promise<T>
}

interface ListedFolder {
  readonly entries: readonly FileEntry[]
  readonly isCut: boolean
}

interface AskedFile {
  readonly in: 'folder' | 'uploads'
  /** Relative, as it was asked for: not checked. */
  readonly path: string
}

/** Snapshots of tasks. What it throws is a DrawbridgeError. */
export interface SnapshotsDoor {
  take(taskId: string, request: TakeSnapshot): Promise<Snapshot>
  list(taskId: string): Promise<Snapshot[]>
  all(): Promise<Snapshot[]>
  get(id: string): Promise<Snapshot>
  remove(id: string): Promise<RemovedSnapshot>
  restore(id: string, request: RestoreSnapshot, caller: Caller): Promise<Task>
  /** Rejects before the first part when it cannot be had. */
  export(id: string): Promise<AsyncIterable<Uint8Array>>
  import(source: AsyncIterable<Uint8Array>): Promise<Snapshot>
}

export interface ApiLimits {
  readonly bodyBytes: number
  /** Where images may be in the body. */
  readonly inputBodyBytes: number
  readonly requestMs: number
  /** Requests a credential may make at once, and how many are given back each second. */
  readonly burst: number
  readonly requestsPerSecond: number
  /** Of one caller; its long polls (`wait`) are counted apart, so that streams never keep them out. */
  readonly streamsPerCaller: number
  readonly waitsPerCaller: number
  /** Streams, and again long polls, of all callers of a credential. */
  readonly openPerCredential: number
  readonly heartbeatMs: number
  /** How soon streams of a credential that another process revoked are ended. */
  readonly revokedMs: number
  /** Characters of a stream that may wait for its reader. */
  readonly streamBuffer: number
  /** A reader that leaves the buffer full this long is no longer fed live, but from the log when it has caught up. */
  readonly behindMs: number
  /** A reader that takes nothing for this long is disconnected. */
  readonly stalledMs: number
  readonly headersMs: number
  readonly keepAliveMs: number
  readonly headerBytes: number
  readonly connections: number
}

export const DEFAULT_LIMITS: ApiLimits = {
  bodyBytes: 2 * 1024 * 1024,
  inputBodyBytes: 24 * 1024 * 1024,
  requestMs: 60_000,
  burst: 1000,
  requestsPerSecond: 200,
  streamsPerCaller: 64,
  waitsPerCaller: 64,
  openPerCredential: 512,
  heartbeatMs: 15_000,
  revokedMs: 1000,
  streamBuffer: 256 * 1024,
  behindMs: 1000,
  stalledMs: 60_000,
  headersMs: 10_000,
  keepAliveMs: 20_000,
  headerBytes: 16 * 1024,
  connections: 2000,
}

export interface AppOptions {
  readonly service: OfferedService
  /** Who is let in. */
  readonly credentials: Credentials
  /** Where named tokens are kept; null: this service has none. */
  readonly tokens: TokenRows | null
  /** Names besides those of loopback under which it may be asked: `bridge.example.com`. */
  readonly allowHosts: readonly string[]
  readonly limits: ApiLimits
  readonly metrics: ApiMetrics
  /** The built console; null: a page that says it is not there. */
  readonly consoleDir: string | null
  /** Where a login link leads. */
  readonly publicUrl: () => string
  /** What somebody new can begin with. */
  readonly offers: Pick<Status, 'demo' | 'defaultCwd'>
  /** Where everything is kept, for people; null: not told. */
  readonly database: Status['database']
  /** Whether requests can be answered now. Asked without a token: it must be cheap, however often. */
  readonly isReady: () => Promise<boolean>
  /** Looks at whether codex can run here; null: this service cannot say. Must end within `limits.requestMs`. */
  readonly doctor: (() => Promise<DoctorReport>) | null
  /** null: this service does not know which folders are trusted. */
  readonly trust: TrustDoor | null
  /** null: this service does not speak MCP. */
  readonly mcp: McpDoor | null
  /** null: this service has none. */
  readonly tools: ToolDoor | null
  /** null: this service keeps none. */
  readonly accounts: AccountsDoor | null
  /** null: this service has none. */
  readonly hosts: HostDoor | null
  /** null: it makes none. */
  readonly workspaces: WorkspacesDoor | null
  /** null: it shows none. */
  readonly files: FilesDoor | null
  /** null: it takes none. */
  readonly snapshots: SnapshotsDoor | null
  /** For rules about paths; by default nothing can be said of any. */
  readonly resolvePath: Resolve
  /** Somebody with the token asked for the end. */
  readonly onShutdown: (request: { drain: boolean }) => void
  /** What went wrong inside, with the id the client was told. */
  readonly onError: (error: unknown, requestId: string) => void
  readonly now: () => number
  readonly startedAt: number
}
