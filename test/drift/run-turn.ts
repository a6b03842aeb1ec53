import type {
  CodexNotification,
  NotificationMethod,
  Thread,
  Turn,
  TurnInput,
  TurnOptions,
  TurnOutcome,
} from '../../src/codex/index.ts'

/** No scripted turn takes longer; one that does is interrupted and fails its test by its outcome. */
export const TURN_TIMEOUT_MS = 20_000

type Of<M extends NotificationMethod> = Extract<CodexNotification, { method: M }>

export interface FinishedTurn {
  readonly turn: Turn
  readonly all: readonly CodexNotification[]
  readonly outcome: TurnOutcome
  of<M extends NotificationMethod>(method: M): Of<M>[]
  /** The completed items, in order. */
  items(): Of<'item/completed'>['params']['item'][]
}

/** Runs a turn to its end and keeps everything it said. */
export async function runTurn(
  thread: Thread,
  input: TurnInput,
  options: TurnOptions = {},
): Promise<FinishedTurn> {
  const turn = await thread.startTurn(input, { timeoutMs: TURN_TIMEOUT_MS, ...options })
  const all: CodexNotification[] = []
  for await (const notification of turn) all.push(notification)
  const of = <M extends NotificationMethod>(method: M) =>
    all.filter((notification): notification is Of<M> => notification.method === method)
  const items = () => of('item/completed').map(({ params }) => params.item)
  return { turn, all, outcome: await turn.outcome, of, items }
}

/** Reads the turn up to the first notification of a method, and leaves it running. */
export async function until(turn: Turn, method: NotificationMethod): Promise<void> {
  for await (const notification of turn) if (notification.method === method) return
  throw new Error(`the turn ended without ${method}`)
}
