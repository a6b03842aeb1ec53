// What another client answered, as far as the items that follow show it: codex tells only that a question was answered.
// Pure.
import type { protocol, Question, Word } from '../../codex/index.ts'

/** null: codex does not show it. */
export interface ShownAnswer {
  readonly answer: Word | null
}

type Asked = Pick<Question, 'kind' | 'itemId' | 'turnId'>
type Kind = Question['kind']

/** A notification, of which only what is read here is known. */
export interface Heard {
  readonly method: string
  readonly params: unknown
}

interface Params {
  readonly turnId?: string
  readonly itemId?: string
  readonly item?: Item
  readonly turn?: { readonly id?: string; readonly status?: string }
}

interface Item {
  readonly id?: string
  readonly status?: string
  readonly processId?: unknown
  readonly error?: { readonly message?: string } | null
}

const WITH_ITEMS: ReadonlySet<Kind> = new Set(['command', 'file-change', 'mcp-tool'])

/** Follows a turn from the moment a question was answered elsewhere until it shows the answer. */
export class AnswerTrace {
  readonly #asked: Asked
  #isDeclined = false

  constructor(asked: Asked) {
    this.#asked = asked
  }

  /** Whether there is something to wait for. */
  static canShow({ kind, itemId }: Asked): boolean {
    return itemId !== null && WITH_ITEMS.has(kind)
  }

  hear({ method, params: given }: Heard): ShownAnswer | null {
    const { itemId, turnId, kind } = this.#asked
    const params = Object(given) as Params
    if (method === 'turn/completed')
      return params.turn?.id === turnId ? this.#atEnd(params.turn?.status ?? '') : null
    if (params.turnId !== turnId) return null
    if (method === 'item/commandExecution/outputDelta' && params.itemId === itemId) return { answer: 'once' }
    if (method === 'item/completed' && params.item?.id === itemId) {
      const answer = answerOf(kind, params.item ?? {})
      if (answer !== 'deny' || kind === 'mcp-tool') return { answer }
      // The same item status stands for "no" and for "no, and end the turn".
      this.#isDeclined = true
      return null
    }
    return this.#isDeclined && method === 'item/started' ? { answer: 'deny' } : null
  }

  #atEnd(status: string): ShownAnswer {
    if (status === 'interrupted' && (this.#isDeclined || this.#asked.kind === 'file-change'))
      return { answer: 'cancel' }
    return { answer: this.#isDeclined ? 'deny' : null }
  }
}

/** What the history of the thread shows of a question that codex no longer waits for; null: nobody answered it. */
export function answerInHistory(asked: Asked, turns: readonly protocol.v2.Turn[]): ShownAnswer | null {
  const turn = turns.find(({ id }) => id === asked.turnId)
  if (!turn) return null
  const items: readonly Item[] = Array.isArray(turn.items) ? turn.items : []
  const item = items.find(({ id }) => id === asked.itemId)
  const shown = item && AnswerTrace.canShow(asked) ? answerOf(asked.kind, item) : null
  if (turn.status === 'interrupted' && shown === 'deny') return { answer: 'cancel' }
  // A turn that ended early took what it still asked along.
  if (turn.status === 'interrupted' || turn.status === 'failed') return shown && { answer: shown }
  return { answer: shown }
}

function answerOf(kind: Kind, { status, processId, error }: Item): Word | null {
  if (status === 'completed') return 'once'
  if (status === 'declined') return 'deny'
  if (status !== 'failed') return null
  if (kind === 'mcp-tool') return /^user (rejected|cancelled) /.test(error?.message ?? '') ? 'deny' : 'once'
  // A command that ran and failed was allowed; one without a process never ran.
  return kind === 'command' && processId == null ? 'deny' : 'once'
}
