// A task: one thread and its turns, as everyone outside this room sees it. Plain data; times are milliseconds.
import type { Failure, PresetName, ThreadPolicy, TokenUsage } from '../../codex/index.ts'
import type { TaskStatus } from '../../store/index.ts'
import type { TaskProgress } from './handover.ts'
import type { TaskWorkspace } from './workspace.ts'

/** What a status rests on: codex's own words, an exit code, what was found when somebody looked. */
export type Evidence = Readonly<Record<string, unknown>>

export interface Task {
  readonly id: string
  /** The first line of the prompt, until it is renamed. */
  readonly title: string
  readonly status: TaskStatus
  /** What a waiting task needs: a permission, an answer, or the return of the worker that has its thread. */
  readonly waitingFor: 'approval' | 'input' | 'worker' | null
  /** One sentence for a person: why it has this status. */
  readonly reason: string
  readonly evidence: Evidence
  readonly prompt: string
  readonly cwd: string
  /** null: the default. */
  readonly codexPath: string | null
  readonly codexHome: string | null
  /** The account, or `pool:…`, that it was asked to run on; null: the login of its codex home. */
  readonly account: string | null
  /** The account it runs on; null: none was asked for, or none is chosen yet. */
  readonly accountId: string | null
  /** At a usage limit; null: as the account says. */
  readonly onLimit: 'park' | 'switch' | null
  /** What was asked for; sent again on every resume. */
  readonly policy: ThreadPolicy
  /** What codex said is in force; null until there is a thread. */
  readonly effectivePolicy: Readonly<Record<string, unknown>> | null
  readonly preset: PresetName
  /** Rules of this task alone, one line each. */
  readonly rules: readonly string[]
  readonly labels: readonly string[]
  /** What it was given of the tools in the settings, by name. */
  readonly tools: readonly string[]
  /** The machine that its commands run on, by its name; null: the one that codex runs on. */
  readonly host: string | null
  /** Where `cwd` is when Drawbridge made it; null: a folder of the user's. */
  readonly workspace: TaskWorkspace | null
  /** When snapshots are taken of it by themselves; null: never. */
  readonly snapshots: string | null
  /** The snapshot that it was restored from; null: it was not. */
  readonly restoredFrom: string | null
  /** Where its notices go: `local`, `webhook:https://…`; secrets taken out. */
  readonly notify: readonly string[]
  /** After a completed turn it is `idle`, waiting for more, rather than `completed`. */
  readonly keepOpen: boolean
  /** For each turn. */
  readonly timeoutMs: number | null
  /** After so long without an answer a question is answered no; null: it waits. */
  readonly approvalTimeoutMs: number | null
  readonly outputSchema: unknown
  /** The worker that has its thread; null until one has taken it, and always on SQLite. */
  readonly worker: { readonly id: string; readonly name: string } | null
  /** The worker, or a label of those, that it was asked to run on; null: any. */
  readonly on: string | null
  /** When its worker is lost: wait for it, or end as `lost`. */
  readonly onLost: 'wait' | 'fail'
  readonly threadId: string | null
  /** The turn that runs. */
  readonly turnId: string | null
  readonly turnCount: number
  /** The task it was forked from. */
  readonly forkedFrom: string | null
  /** The named token it was started with; null: without one, by the owner. */
  readonly createdBy: { readonly tokenId: string; readonly name: string } | null
  /** The task that started it, and how many tasks are above it. */
  readonly parent: string | null
  readonly depth: number
  /** When a usage limit ends, and with it `limited`. */
  readonly limitedUntil: number | null
  /** The final answer of the last turn that gave one. */
  readonly result: TaskResult | null
  readonly failure: Failure | null
  /** Of all turns. */
  readonly usage: TokenUsage | null
  /** Questions that wait for an answer. */
  readonly openApprovals: number
  /** Messages that wait for their turn. */
  readonly queuedMessages: number
  /** Deliverables that wait for an answer. */
  readonly openDeliverables: number
  /** What the model last said of how far it is; null: nothing. */
  readonly progress: TaskProgress | null
  /** What the model wants a person to see, until somebody has; null: nothing. */
  readonly attention: { readonly reason: string; readonly at: number } | null
  /** Links that the model showed, the newest last. */
  readonly links: readonly { readonly url: string; readonly at: number }[]
  /** Its place among the queued, from 1; null when it is not. */
  readonly queuePosition: number | null
  /** The sequence of its newest event; 0 before the first. */
  readonly lastSeq: number
  readonly createdAt: number
  readonly updatedAt: number
  readonly startedAt: number | null
  readonly endedAt: number | null
  readonly archivedAt: number | null
}

export interface TaskResult {
  readonly turnId: string
  readonly text: string
  /** The answer parsed, when an output schema was given and it is JSON. */
  readonly output: unknown
  /** Only the beginning of a long text, without `output`: so it is in lists. */
  readonly isCut: boolean
}
