// A small typed client of the HTTP API. What the CLI does, it does through this.
import type {
  AddedToken,
  AddHost,
  AddRule,
  AddToken,
  Approval,
  AuditEntry,
  CalledTool,
  CheckedHost,
  CheckedRules,
  CheckHost,
  CheckRules,
  Decide,
  DoctorReport,
  Host,
  Login,
  LoginLink,
  ModelList,
  Notice,
  NoticeDryRun,
  Page,
  Shutdown,
  StandingRule,
  Status,
  Token,
  ToolSource,
  Usage,
  UsageQuery,
  Worker,
} from '../contract.ts'
import { AccountCalls } from './account-calls.ts'
import { AccountsCalls } from './accounts-calls.ts'
import { FileCalls } from './file-calls.ts'
import { CallerMessageCalls, DeliverableCalls } from './handover-calls.ts'
import { type ConnectOptions, Http } from './http.ts'
import { SnapshotCalls } from './snapshot-calls.ts'
import { type CallOptions, TaskCalls } from './task-calls.ts'
import { TrustCalls } from './trust-calls.ts'
import { WorkspaceCalls } from './workspace-calls.ts'

interface PageFilter {
  readonly taskId?: string | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** Speaks to a running service. Nothing is sent before the first call. */
export function connect(options: ConnectOptions): DrawbridgeClient {
  return new DrawbridgeClient(options)
}

/** A host that is away is given up after 20 s, at each hop on the way; codex is 120 MB to bring. */
const CHECKS_MS = 2 * 60_000
const PROVISIONS_MS = 30 * 60_000

export class DrawbridgeClient {
  readonly tasks: TaskCalls
  /** The one codex works with. */
  readonly account: AccountCalls
  /** Those that tasks borrow. */
  readonly accounts: AccountsCalls
  readonly workspaces: WorkspaceCalls
  /** Files in the folders of tasks, and files given to tasks. */
  readonly files: FileCalls
  readonly deliverables: DeliverableCalls
  readonly callerMessages: CallerMessageCalls
  readonly snapshots: SnapshotCalls
  /** Which folders a person trusts. */
  readonly trust: TrustCalls
  readonly #http: Http

  constructor(options: ConnectOptions) {
    this.#http = new Http(options)
    this.tasks = new TaskCalls(this.#http)
    this.account = new AccountCalls(this.#http)
    this.accounts = new AccountsCalls(this.#http)
    this.workspaces = new WorkspaceCalls(this.#http)
    this.files = new FileCalls(this.#http)
    this.deliverables = new DeliverableCalls(this.#http)
    this.callerMessages = new CallerMessageCalls(this.#http, (...given) => this.tasks.follow(...given))
    this.snapshots = new SnapshotCalls(this.#http)
    this.trust = new TrustCalls(this.#http)
  }

  approvals(
    filter: PageFilter & { readonly status?: Approval['status'] } = {},
    options: CallOptions = {},
  ): Promise<Page<Approval>> {
    return this.#http.json('GET', '/v1/approvals', { query: { ...filter }, ...options })
  }

  approval(approvalId: string, options: CallOptions = {}): Promise<Approval> {
    return this.#http.json('GET', `/v1/approvals/${encodeURIComponent(approvalId)}`, options)
  }

  /** The first answer wins. A later one gets `approval-settled`, with the approval in `details`. */
  answer(approvalId: string, decide: Decide, options: CallOptions = {}): Promise<Approval> {
    return this.#http.json('POST', `/v1/approvals/${encodeURIComponent(approvalId)}`, {
      body: decide,
      ...options,
    })
  }

  audit(filter: PageFilter = {}, options: CallOptions = {}): Promise<Page<AuditEntry>> {
    return this.#http.json('GET', '/v1/audit', { query: { ...filter }, ...options })
  }

  async rules({ revoked, signal }: CallOptions & { revoked?: boolean } = {}): Promise<StandingRule[]> {
    return (
      await this.#http.json<{ items: StandingRule[] }>('GET', '/v1/rules', { query: { revoked }, signal })
    ).items
  }

  addRule(rule: AddRule, options: CallOptions = {}): Promise<StandingRule> {
    return this.#http.json('POST', '/v1/rules', { body: rule, ...options })
  }

  revokeRule(ruleId: string, options: CallOptions = {}): Promise<StandingRule> {
    return this.#http.json('DELETE', `/v1/rules/${encodeURIComponent(ruleId)}`, options)
  }

  /** What the rules would say to a command. */
  checkRules(check: CheckRules, options: CallOptions = {}): Promise<CheckedRules> {
    return this.#http.json('POST', '/v1/rules/check', { body: check, ...options })
  }

  notices(
    filter: PageFilter & { readonly status?: Notice['status'] } = {},
    options: CallOptions = {},
  ): Promise<Page<Notice>> {
    return this.#http.json('GET', '/v1/notices', { query: { ...filter }, ...options })
  }

  retryNotice(noticeId: string, options: CallOptions = {}): Promise<Notice> {
    return this.#http.json('POST', `/v1/notices/${encodeURIComponent(noticeId)}/retry`, options)
  }

  dryRunNotice(noticeId: string, options: CallOptions = {}): Promise<NoticeDryRun> {
    return this.#http.json('GET', `/v1/notices/${encodeURIComponent(noticeId)}/dry-run`, options)
  }

  async models(options: CallOptions = {}): Promise<unknown[]> {
    return (await this.#http.json<ModelList>('GET', '/v1/models', options)).items
  }

  async hosts(options: CallOptions = {}): Promise<Host[]> {
    return (await this.#http.json<{ items: Host[] }>('GET', '/v1/hosts', options)).items
  }

  /** What tasks can get of tools; also what cannot be used, and why. */
  async tools(options: CallOptions = {}): Promise<ToolSource[]> {
    return (await this.#http.json<{ items: ToolSource[] }>('GET', '/v1/tools', options)).items
  }

  /** Tries a tool of a module. */
  callTool(
    name: string,
    given: Readonly<Record<string, unknown>>,
    options: CallOptions = {},
  ): Promise<CalledTool> {
    const body = { arguments: given }
    return this.#http.json('POST', `/v1/tools/${encodeURIComponent(name)}/call`, { body, ...options })
  }

  /** All services that share the database, this one included. */
  async workers(options: CallOptions = {}): Promise<Worker[]> {
    return (await this.#http.json<{ items: Worker[] }>('GET', '/v1/workers', options)).items
  }

  /** It gets no new tasks. Those it has stay with it. */
  drainWorker(workerId: string, options: CallOptions = {}): Promise<Worker> {
    return this.#http.json('POST', `/v1/workers/${encodeURIComponent(workerId)}/drain`, options)
  }

  /** It gets new tasks again. */
  undrainWorker(workerId: string, options: CallOptions = {}): Promise<Worker> {
    return this.#http.json('POST', `/v1/workers/${encodeURIComponent(workerId)}/undrain`, options)
  }

  /** Whether codex can run there. Takes some seconds. */
  doctor(options: CallOptions = {}): Promise<DoctorReport> {
    return this.#http.json('GET', '/v1/doctor', options)
  }

  /** Turns, tokens and questions by day. */
  usage(query: UsageQuery = {}, options: CallOptions = {}): Promise<Usage> {
    return this.#http.json('GET', '/v1/usage', { query: { ...query }, ...options })
  }

  status(options: CallOptions = {}): Promise<Status> {
    return this.#http.json('GET', '/v1/status', options)
  }

  /** For a browser; works once. */
  makeLoginLink(options: CallOptions = {}): Promise<LoginLink> {
    return this.#http.json('POST', '/v1/login-links', options)
  }

  async logins(options: CallOptions = {}): Promise<Login[]> {
    return (await this.#http.json<{ items: Login[] }>('GET', '/v1/logins', options)).items
  }

  revokeLogin(loginId: string, options: CallOptions = {}): Promise<void> {
    return this.#http.json('DELETE', `/v1/logins/${encodeURIComponent(loginId)}`, options)
  }

  /** A machine that is reached with ssh. Nothing is connected yet. */
  addHost(host: AddHost, options: CallOptions = {}): Promise<Host> {
    return this.#http.json('POST', '/v1/hosts', { body: host, ...options })
  }

  /** Connects, and says what is there. */
  checkHost(name: string, request: CheckHost = {}, options: CallOptions = {}): Promise<CheckedHost> {
    const at = `/v1/hosts/${encodeURIComponent(name)}/check`
    const timeoutMs = request.provision ? PROVISIONS_MS : CHECKS_MS
    return this.#http.json('POST', at, { body: request, timeoutMs, ...options })
  }

  async removeHost(name: string, options: CallOptions = {}): Promise<void> {
    await this.#http.json('DELETE', `/v1/hosts/${encodeURIComponent(name)}`, options)
  }

  /** Named tokens, newest first; those that no longer count included. */
  async tokens(options: CallOptions = {}): Promise<Token[]> {
    return (await this.#http.json<{ items: Token[] }>('GET', '/v1/tokens', options)).items
  }

  /** The secret is in the answer, and nowhere else. */
  addToken(token: AddToken, options: CallOptions = {}): Promise<AddedToken> {
    return this.#http.json('POST', '/v1/tokens', { body: token, ...options })
  }

  /** By name or id. */
  revokeToken(named: string, options: CallOptions = {}): Promise<Token> {
    return this.#http.json('DELETE', `/v1/tokens/${encodeURIComponent(named)}`, options)
  }

  /** Resolves when the service has begun to stop. */
  async shutdown(shutdown: Shutdown = {}, options: CallOptions = {}): Promise<void> {
    await this.#http.json('POST', '/v1/shutdown', { body: shutdown, ...options })
  }

  /** Whether something answers there as Drawbridge does. Needs no token. */
  async isUp({ timeoutMs = 2000 }: { timeoutMs?: number } = {}): Promise<boolean> {
    return this.#http
      .json<{ status?: string }>('GET', '/healthz', { timeoutMs })
      .then(({ status }) => status === 'ok')
      .catch(() => false)
  }

  /** In Prometheus' format. */
  metrics(options: CallOptions = {}): Promise<string> {
    return this.#http.text('GET', '/metrics', options)
  }
}
