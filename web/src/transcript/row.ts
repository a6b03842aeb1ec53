// What a transcript is made of: rows, each of which changes only by being replaced.

/** An item as codex wrote it. Its fields are read where it is shown, and may be missing. */
export interface Item {
  readonly id: string
  readonly type: string
  readonly [field: string]: unknown
}

interface Placed {
  /** Stays the same while the row changes. */
  readonly key: string
  readonly seq: number
  readonly at: number
  readonly turnId: string | null
}

export interface ItemRow extends Placed {
  readonly kind: 'item'
  readonly item: Item
  readonly isOpen: boolean
  /** Text or output so far, while it is open. */
  readonly live: string
  /** The turn ended before it did. */
  readonly isCut: boolean
}

export interface TurnEndRow extends Placed {
  readonly kind: 'turn-end'
  readonly status: string
  readonly durationMs: number | null
}

/** One per turn: a retry is progress, told in the same place as what it came to. */
export interface ErrorRow extends Placed {
  readonly kind: 'error'
  readonly message: string
  readonly details: string | null
  readonly willRetry: boolean
  readonly attempts: number
  /** The turn went on after it. */
  readonly isOver: boolean
}

export interface PlanRow extends Placed {
  readonly kind: 'plan'
  readonly explanation: string | null
  readonly steps: readonly { readonly step: string; readonly status: string }[]
}

export interface AskedRow extends Placed {
  readonly kind: 'asked'
  readonly approvalId: string
  /** What kind of question it is. */
  readonly question: string | null
  readonly title: string
  readonly status: string
  readonly by: string | null
  readonly actor: string | null
  readonly answer: unknown
  readonly why: string | null
}

interface NoteRow extends Placed {
  readonly kind: 'note'
  readonly text: string
}

/** What a sub-agent did, inside the task that started it. `rows` is added to; `version` tells when. */
export interface AgentRow extends Placed {
  readonly kind: 'agent'
  readonly threadId: string
  /** What it was started for; null while nobody has said. */
  readonly name: string | null
  readonly rows: readonly Row[]
  readonly version: number
}

interface RawRow extends Placed {
  readonly kind: 'raw'
  readonly method: string
  readonly params: unknown
}

/** A hook of the operator's: one attempt. */
export interface HookRow extends Placed {
  readonly kind: 'hook'
  readonly hook: string
  readonly on: string | null
  /** What it runs. */
  readonly title: string
  readonly status: string
  readonly exitCode: number | null
  readonly durationMs: number | null
  readonly problem: string | null
  readonly output: string
}

/** Too large for the log: its head, and where the whole of it is. */
export interface OversizeRow extends Placed {
  readonly kind: 'oversize'
  readonly method: string
  readonly bytes: number
  readonly head: string
  readonly hasWhole: boolean
}

export type Row =
  | ItemRow
  | TurnEndRow
  | ErrorRow
  | PlanRow
  | AskedRow
  | NoteRow
  | AgentRow
  | RawRow
  | OversizeRow
  | HookRow
