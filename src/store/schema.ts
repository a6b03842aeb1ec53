// The tables, as Kysely sees them. Times are milliseconds, JSON is text, booleans are 0 or 1: what SQLite and
// PostgreSQL can both hold without a second thought. `migrations/` makes them.
import type { Generated } from 'kysely'
import type { AccountPoolRow, AccountRow } from './account-schema.ts'
import type { CallerMessageRow, DeliverablePartRow, DeliverableRow } from './handover-schema.ts'
import type { HookRunRow } from './hook-schema.ts'
import type { HostRow } from './host-schema.ts'
import type { UploadRow } from './upload-schema.ts'
import type { SnapshotRow, WorkspaceRow } from './workspace-schema.ts'

export interface Database {
  tasks: TaskRow
  task_labels: { task_id: string; label: string }
  messages: MessageRow
  events: EventRow
  turns: TurnRow
  approvals: ApprovalRow
  approval_times: ApprovalTimesRow
  audit: AuditRow
  rules: RuleRow
  outbox: OutboxRow
  workers: WorkerRow
  commands: CommandRow
  account_holds: AccountHoldRow
  feed: FeedRow
  frames: FrameRow
  door_tokens: DoorTokenRow
  door_logins: DoorLoginRow
  door_codes: DoorCodeRow
  tokens: TokenRow
  hosts: HostRow
  accounts: AccountRow
  account_pools: AccountPoolRow
  workspaces: WorkspaceRow
  deliverables: DeliverableRow
  deliverable_parts: DeliverablePartRow
  caller_messages: CallerMessageRow
  hook_runs: HookRunRow
  uploads: UploadRow
  snapshots: SnapshotRow
}

export interface TaskRow {
  id: string
  title: string
  status: string
  waiting_for: string | null
  reason: string
  evidence: string
  prompt: string
  cwd: string
  codex_path: string | null
  codex_home: string | null
  policy: string
  effective_policy: string | null
  preset: string
  rules: string
  notify: string
  keep_open: number
  timeout_ms: number | null
  approval_timeout_ms: number | null
  output_schema: string | null
  thread_id: string | null
  turn_id: string | null
  turn_count: number
  /** The app-server its thread was last open in. */
  app_server_id: string | null
  forked_from: string | null
  /** `{threadId, lastTurnId}`: what to fork when it starts. */
  fork_of: string | null
  limited_until: number | null
  /** How often it has resumed by itself after a limit, since it last got somewhere. */
  limit_resumes: number
  result: string | null
  /** What lists show of a long answer, JSON like `result`; null when all of it is short. */
  result_short: string | null
  failure: string | null
  /** Of its thread in all, by codex's own count, when its last turn ended. */
  usage: string | null
  /** Where it stands among the queued: smaller first. */
  queued_at: number | null
  last_seq: number
  idempotency_key: string | null
  /** Of the request, to tell the same from another under one key. */
  request_hash: string | null
  created_at: number
  updated_at: number
  started_at: number | null
  ended_at: number | null
  archived_at: number | null
  /** The worker its thread lives on; null until one has claimed it. */
  worker_id: string | null
  /** The start of that worker that owns the task now; null: it has no owner. */
  lease_boot: string | null
  /** Grows with every claim. A writer that has an older one has lost the task. */
  lease_generation: Generated<number>
  /** The id or a label of the worker it must run on; null: any. */
  wants: string | null
  /** What becomes of it when its worker is lost: `wait` for its return, or `fail`. */
  on_lost: Generated<string>
  /** A turn that was given up with its worker, and may still run there. */
  orphan_turn: string | null
  /** The named token it was started with, and what the token was called; null: by the owner. */
  created_by: string | null
  created_by_name: string | null
  /** The task that started it. */
  parent: string | null
  /** How many tasks are above it. */
  depth: Generated<number>
  /** JSON: the folders one of which its folder must be in, by real path, whenever a turn begins; null: any. */
  within: string | null
  /** JSON: the names of the tools it was given. */
  tools: Generated<string>
  /** What it was asked to run on: the name of an account, or `pool:` and the name of a pool; null: the login of its home. */
  account: Generated<string | null>
  /** The account that was named, or was chosen when its thread began. */
  account_id: Generated<string | null>
  /** At a usage limit: `park`, or `switch` to another account of its pool; null: as the account says. */
  on_limit: Generated<string | null>
  /** The machine that its commands run on; null: that of its worker. */
  host: string | null
  /** JSON: the workspace that was made for it; null: it works in a folder of the user's. */
  workspace: Generated<string | null>
  /** JSON: what the model last said of its progress; null: nothing. */
  progress: Generated<string | null>
  /** JSON: what it wants people to see, and how often it asked; null: it never asked. */
  attention: Generated<string | null>
  /** JSON: the links that it showed. */
  links: Generated<string | null>
  /** When snapshots are taken of it by themselves: `end`, `limited`, `turns:N`, with commas; null: never. */
  snapshots: Generated<string | null>
  /** The snapshot that it was restored from. */
  restored_from: Generated<string | null>
  /** What the model is told with its next turn, once. */
  model_notice: Generated<string | null>
}

/** One service on a shared store. Times are the database's. */
export interface WorkerRow {
  /** The same after a restart: it belongs to the data folder. */
  id: string
  /** A random token of this start. */
  boot: string
  /** What people call it. */
  name: string
  /** Drawbridge's. */
  version: string
  /** JSON: an array of words. */
  labels: string
  /** Turns that it runs at the same time. */
  capacity: number
  /** `up`; `draining`: takes no new tasks; `stopped`: by itself; `lost`: it has not been heard of, and may not write. */
  state: string
  started_at: number
  beat_at: number
  /** Others may declare it lost after this. */
  lease_until: number
  /** The number of its last transaction: after a broken connection it tells whether that was committed. */
  commits: number
  /** The name of the machine it runs on. */
  machine: Generated<string>
  /** Where its API is reached, as far as it knows. */
  url: string | null
  /** Commands for this start are sealed with it. */
  public_key: string | null
  /** Turns that worked at its last beat. */
  working: Generated<number>
}

/** A frame that is too large for the log, on PostgreSQL only. */
interface FrameRow {
  task_id: string
  seq: number
  /** gzip. */
  packed: Uint8Array
}

/** A login whose usage limit was hit: no worker begins a turn with it before then. */
export interface AccountHoldRow {
  /** Which login it is, without telling it. */
  account: string
  until: number
  why: string
}

/** What one worker asks of another: an operation on a task that the other one owns. */
export interface CommandRow {
  id: string
  /** The worker, and its start, that is to carry it out. */
  worker_id: string
  boot: string
  sent_by: string
  name: string
  task_id: string | null
  /** What it is given, readable by that start alone; null once it is over. */
  sealed: string | null
  /** `new`, `taken` (it is being carried out), `done`, `cancelled`. */
  state: string
  /** JSON: `{value}` or `{error}`. */
  outcome: string | null
  created_at: number
  /** It is not begun after this. */
  expires_at: number
}

/** Input for a task. Raw until codex has it, then only what may be shown. */
export interface MessageRow {
  id: string
  task_id: string
  /** The caller's own id, once per task. */
  client_id: string | null
  mode: string
  /** JSON of codex's input items; null once its turn has ended. */
  input: string | null
  text: string
  overrides: string | null
  /** `queued`, `sending` (codex may or may not have it), `delivered`, `failed`, `cancelled`. */
  status: string
  turn_id: string | null
  actor: string
  created_at: number
  updated_at: number
}

export interface EventRow {
  task_id: string
  seq: number
  at: number
  method: string
  turn_id: string | null
  item_id: string | null
  /** 1: a delta, gone when its item has completed. */
  is_delta: number
  frame: string
}

/** A turn that has ended. Kept when its task is gone. */
export interface TurnRow {
  task_id: string
  turn_id: string
  thread_id: string | null
  /** How it ended: `completed`, `failed`, `interrupted`, `timed-out`, `lost`; `unknown` of some from before 002. */
  status: string
  started_at: number
  ended_at: number
  /** What it and its sub-agents used. Cached ones are among the input, reasoning ones among the output. */
  input_tokens: number
  cached_input_tokens: number
  output_tokens: number
  reasoning_output_tokens: number
}

export interface ApprovalRow {
  id: string
  task_id: string
  /** With `request_id` (JSON, so that 1 and "1" differ) what codex knows it by; null for questions without a request. */
  app_server_id: string | null
  request_id: string | null
  kind: string
  title: string
  question: string
  status: string
  answer: string | null
  /** 1: the answer had secrets, and what is kept is not what was given. */
  is_secret: number
  /** What `always` would make a standing rule. */
  proposed_rule: string | null
  decided_by: string | null
  actor: string | null
  rule: string | null
  why: string | null
  created_at: number
  deadline_at: number | null
  settled_at: number | null
}

/** When a question was asked and settled. Kept when its task is gone. */
interface ApprovalTimesRow {
  approval_id: string
  asked_at: number
  settled_at: number | null
  /** Who answered, `rule`, `person` or `default`; `withdrawn`; null while it is open. */
  outcome: string | null
}

export interface AuditRow {
  id: Generated<number>
  at: number
  approval_id: string
  task_id: string
  kind: string
  title: string
  answer: string | null
  decided_by: string
  actor: string | null
  rule: string | null
  why: string | null
}

export interface RuleRow {
  id: string
  text: string
  note: string | null
  created_at: number
  created_by: string
  approval_id: string | null
  expires_at: number | null
  revoked_at: number | null
  revoked_by: string | null
}

export interface OutboxRow {
  id: string
  task_id: string
  cause: string
  /** The whole target, secrets included: the file is 0600 and the sender needs them. */
  target: string
  status: string
  title: string
  text: string
  /** JSON of what a program gets. */
  payload: string
  attempts: number
  next_attempt_at: number | null
  last_error: string | null
  created_at: number
  sent_at: number | null
  /** The start of a worker that is sending it; null: none is, or the store has only one. */
  claimed_by: string | null
  /** On the database's clock. Another worker may take it after this. */
  claimed_until: number | null
}

/** An event of ours that was stored lately. Only on PostgreSQL. */
interface FeedRow {
  /** Of one task these grow with `seq`. */
  id: Generated<number>
  /** The transaction that stored it. Transactions are not committed in this order, nor in that of `id`. */
  xact: number
  /** On the database's clock. */
  at: number
  /** The process that stored it. */
  origin: string
  task_id: string
  seq: number
}

/** A token that is good at every door. Its logins and codes end with this row. */
interface DoorTokenRow {
  id: string
  /** The worker whose data folder has it; null: it belongs to none. */
  worker_id: string | null
  /** SHA-256 of the token. */
  hash: string
  name: string | null
  /** JSON; null: everything. */
  scopes: string | null
  created_at: number
  /** When its worker last said that it still has it. */
  seen_at: number
}

/** A named token with limits. Kept when it is revoked: tasks and the audit name it. */
export interface TokenRow {
  id: string
  /** Of those that are not revoked, only one has it. */
  name: string
  /** SHA-256 of the token. */
  hash: string
  /** JSON: what it may do. */
  scope: string
  created_at: number
  created_by: string
  used_at: number | null
  expires_at: number | null
  revoked_at: number | null
  revoked_by: string | null
}

/** A browser that was let in by a link. */
export interface DoorLoginRow {
  id: string
  /** The token that its link was made with. */
  token_id: string
  /** SHA-256 of the secret half of its cookie. */
  secret_hash: string
  user_agent: string | null
  created_at: number
  expires_at: number
}

/** A login link that has not been used. */
interface DoorCodeRow {
  hash: string
  token_id: string
  expires_at: number
}
