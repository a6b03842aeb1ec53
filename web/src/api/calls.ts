// What the console asks of the service, one function each.
import type {
  AccountLogin,
  AnswerDeliverable,
  AppliedWork,
  ApplyWork,
  Approval,
  AuditEntry,
  CheckedAccount,
  CheckedRules,
  Committed,
  CommitWork,
  CountedTasks,
  Decide,
  Deliverable,
  DiscardedWork,
  DiscardWork,
  DoctorReport,
  EventPage,
  FileList,
  Host,
  LentAccount,
  Message,
  Notice,
  Page,
  SendMessage,
  Snapshot,
  StandingRule,
  StartAccountLogin,
  StartTask,
  Status,
  Task,
  TaskDetail,
  Token,
  TrustedFolder,
  TrustFolder,
  TrustList,
  TrustLook,
  TurnInput,
  Upload,
  Usage,
  Work,
  WorkDiff,
  Worker,
} from './contract.ts'
import { bytesOf, call, queryText } from './http.ts'

/** What newer services say besides. */
export type ServiceStatus = Status & {
  readonly demo?: { readonly codexHome: string; readonly cwd: string } | null
  readonly defaultCwd?: string | null
}

export interface TaskQuery {
  readonly status?: string
  readonly waitingFor?: 'worker' | 'person'
  readonly labels?: string
  readonly search?: string
  readonly parent?: string
  readonly below?: string
  readonly archived?: 'true' | 'only'
  readonly limit?: number
  readonly cursor?: string
}

const one = (id: string) => `/v1/tasks/${encodeURIComponent(id)}`

export const tasks = {
  list: (query: TaskQuery, signal?: AbortSignal) =>
    call<Page<Task>>('GET', '/v1/tasks', { query: { ...query }, signal }),
  count: (query: TaskQuery, signal?: AbortSignal) =>
    call<CountedTasks>('GET', '/v1/tasks/counts', { query: { ...query }, signal }),
  detail: (id: string, signal?: AbortSignal) =>
    call<TaskDetail>('GET', `${one(id)}/detail`, { query: { events: 0 }, signal }),
  start: (body: StartTask, key: string) => call<Task>('POST', '/v1/tasks', { body, key }),
  change: (id: string, body: unknown) => call<Task>('PATCH', one(id), { body }),
  delete: (id: string) => call<void>('DELETE', one(id)),
  send: (id: string, body: SendMessage, key: string) =>
    call<Message>('POST', `${one(id)}/turns`, { body, key }),
  steer: (id: string, input: TurnInput, key: string) =>
    call<Message>('POST', `${one(id)}/steer`, { body: { input }, key }),
  cancelMessage: (id: string, messageId: string) =>
    call<Message>('DELETE', `${one(id)}/messages/${messageId}`),
  interrupt: (id: string, body: { children?: boolean } = {}) =>
    call<Task>('POST', `${one(id)}/interrupt`, { body }),
  resume: (id: string) => call<Task>('POST', `${one(id)}/resume`, { body: {} }),
  fork: (id: string) => call<Task>('POST', `${one(id)}/fork`, { body: {} }),
  eventsBefore: (id: string, before: number, signal?: AbortSignal) =>
    call<EventPage>('GET', `${one(id)}/events`, {
      query: { before, limit: 1000, maxBytes: 2_000_000 },
      signal,
    }),
  seen: (id: string) => call<void>('POST', `${one(id)}/seen`),
  wholeEvent: (id: string, seq: number) => call<unknown>('GET', `${one(id)}/events/${seq}`),
}

const delivered = (id: string, number: number) => `${one(id)}/deliverables/${number}`

/** Files that a task handed over. */
export const deliverables = {
  list: (id: string, signal?: AbortSignal) =>
    call<{ items: Deliverable[] }>('GET', `${one(id)}/deliverables`, { signal }),
  /** Where its bytes are. */
  content: (id: string, number: number) => `${delivered(id, number)}/content`,
  bytes: (id: string, number: number, options: { readonly most: number; readonly signal: AbortSignal }) =>
    bytesOf(`${delivered(id, number)}/content`, options),
  answer: (id: string, number: number, body: AnswerDeliverable) =>
    call<Deliverable>('POST', `${delivered(id, number)}/answer`, { body }),
}

/** What a task has done in the workspace that was made for it. */
export const work = {
  /** Of the repository that the task works in, or of another of its own. */
  show: (id: string, repository: string | null, signal?: AbortSignal) =>
    call<Work>(
      'GET',
      `${one(id)}/work${repository === null ? '' : `?${new URLSearchParams({ repository })}`}`,
      {
        signal,
      },
    ),
  diff: (id: string, repository: string, signal?: AbortSignal) =>
    call<WorkDiff>('GET', `${one(id)}/diff?${new URLSearchParams({ repository })}`, { signal }),
  commit: (id: string, body: CommitWork) => call<Committed>('POST', `${one(id)}/commit`, { body }),
  apply: (id: string, body: ApplyWork) => call<AppliedWork>('POST', `${one(id)}/apply`, { body }),
  discard: (id: string, body: DiscardWork) => call<DiscardedWork>('POST', `${one(id)}/discard`, { body }),
}

export const snapshots = {
  list: (id: string, signal?: AbortSignal) =>
    call<{ items: Snapshot[] }>('GET', `${one(id)}/snapshots`, { signal }),
  take: (id: string) => call<Snapshot>('POST', `${one(id)}/snapshots`, { body: {} }),
  restore: (id: string) =>
    call<Task>('POST', `/v1/snapshots/${encodeURIComponent(id)}/restore`, { body: {} }),
}

interface FileAt {
  readonly in: 'folder' | 'uploads'
  readonly path: string
}

/** What is in the folder of a task, and what it was given. */
export const files = {
  list: (id: string, at: FileAt, signal?: AbortSignal) =>
    call<FileList>('GET', `${one(id)}/files`, { query: { ...at }, signal }),
  read: (id: string, { most, ...at }: FileAt & { readonly most: number }, signal?: AbortSignal) =>
    bytesOf(`${one(id)}/files/content`, { query: { ...at }, most, signal }),
  /** Of the whole file, for the browser to store. */
  address: (id: string, at: FileAt) => `${one(id)}/files/content${queryText({ ...at })}`,
  uploads: (id: string, signal?: AbortSignal) =>
    call<{ items: Upload[] }>('GET', `${one(id)}/uploads`, { signal }),
  takeBack: (id: string, uploadId: string) =>
    call<Upload>('DELETE', `${one(id)}/uploads/${encodeURIComponent(uploadId)}`),
  upload: (id: string, given: readonly File[]) => {
    const form = new FormData()
    for (const file of given) form.append('file', file, file.name)
    return call<{ items: Upload[] }>('POST', `${one(id)}/uploads`, { form })
  },
}

export const approvals = {
  list: (query: { status?: string; taskId?: string; limit?: number }, signal?: AbortSignal) =>
    call<Page<Approval>>('GET', '/v1/approvals', { query, signal }),
  get: (id: string) => call<Approval>('GET', `/v1/approvals/${encodeURIComponent(id)}`),
  answer: (id: string, body: Decide) =>
    call<Approval>('POST', `/v1/approvals/${encodeURIComponent(id)}`, { body }),
}

export const rules = {
  list: (revoked: boolean) =>
    call<{ items: StandingRule[] }>('GET', '/v1/rules', { query: { revoked: String(revoked) } }),
  add: (body: { text: string; note?: string }) => call<StandingRule>('POST', '/v1/rules', { body }),
  revoke: (id: string) => call<unknown>('DELETE', `/v1/rules/${id}`),
  check: (body: { command: string; cwd: string; preset?: string; sandboxed?: boolean }) =>
    call<CheckedRules>('POST', '/v1/rules/check', { body }),
}

export const trust = {
  list: () => call<TrustList>('GET', '/v1/trust'),
  look: (body: { cwd: string; codexHome: string | null }, signal?: AbortSignal) =>
    call<TrustLook>('POST', '/v1/trust/look', { body, signal }),
  trust: (body: TrustFolder) => call<TrustedFolder>('POST', '/v1/trust', { body }),
  revoke: (root: string) => call<void>('POST', '/v1/trust/revoke', { body: { root } }),
}

export const account = {
  read: () => call<unknown>('GET', '/v1/account'),
  login: (signal?: AbortSignal) => call<AccountLogin>('GET', '/v1/account/login', { signal }),
  startLogin: (body: StartAccountLogin) => call<AccountLogin>('POST', '/v1/account/login', { body }),
  cancelLogin: (id: string) => call<AccountLogin>('DELETE', `/v1/account/login/${encodeURIComponent(id)}`),
}

export const workers = {
  list: (signal?: AbortSignal) => call<{ items: Worker[] }>('GET', '/v1/workers', { signal }),
  drain: (id: string) => call<Worker>('POST', `/v1/workers/${encodeURIComponent(id)}/drain`, { body: {} }),
  undrain: (id: string) =>
    call<Worker>('POST', `/v1/workers/${encodeURIComponent(id)}/undrain`, { body: {} }),
}

export const accounts = {
  list: (signal?: AbortSignal) => call<{ items: LentAccount[] }>('GET', '/v1/accounts', { signal }),
  check: (name: string) =>
    call<CheckedAccount>('POST', `/v1/accounts/${encodeURIComponent(name)}/check`, { body: {} }),
  change: (name: string, body: { state: 'active' | 'disabled' }) =>
    call<LentAccount>('PATCH', `/v1/accounts/${encodeURIComponent(name)}`, { body }),
}

export const tokens = {
  list: (signal?: AbortSignal) => call<{ items: Token[] }>('GET', '/v1/tokens', { signal }),
  revoke: (id: string) => call<Token>('DELETE', `/v1/tokens/${encodeURIComponent(id)}`),
}

export const system = {
  status: (signal?: AbortSignal) => call<ServiceStatus>('GET', '/v1/status', { signal }),
  models: () => call<{ items: unknown[] }>('GET', '/v1/models'),
  hosts: () => call<{ items: Host[] }>('GET', '/v1/hosts'),
  usage: (query: { days: number; timeZone: string }, signal?: AbortSignal) =>
    call<Usage>('GET', '/v1/usage', { query, signal }),
  doctor: (signal?: AbortSignal) => call<DoctorReport>('GET', '/v1/doctor', { signal }),
  audit: (query: { cursor?: string; limit?: number }) =>
    call<Page<AuditEntry>>('GET', '/v1/audit', { query }),
  notices: () => call<Page<Notice>>('GET', '/v1/notices', { query: { limit: 100 } }),
  retryNotice: (id: string) => call<Notice>('POST', `/v1/notices/${id}/retry`, { body: {} }),
  dryRunNotice: (id: string) => call<unknown>('GET', `/v1/notices/${id}/dry-run`),
  logout: () => call<unknown>('POST', '/v1/logout', { body: {} }),
}
