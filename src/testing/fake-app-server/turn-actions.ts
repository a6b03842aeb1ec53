// The notifications of a turn, in codex's order and shape.
import type { NotificationParams, protocol } from '../../codex/index.ts'
import { type Action, notify, reply } from './script.ts'

type Turn = protocol.v2.Turn
const ITEM_ID = 'item-$turnId'

export interface CompletedTurnOptions {
  /** `turn/started` and the items come before the reply to `turn/start`, as they sometimes do. */
  readonly early?: boolean
  /** One delta each; the whole text by default. */
  readonly deltas?: readonly string[]
}

/** Serves `turn/start`: answers and runs a turn that says this text. */
export function completedTurn(text: string, options: CompletedTurnOptions = {}): readonly Action[] {
  const begun = [...turnStarted(), ...agentMessage(text, options.deltas)]
  const opening = options.early ? [...begun, reply()] : [reply(), ...begun]
  return [...opening, ...turnCompleted({ items: [messageItem(text)], itemsView: 'summary' })]
}

/** Serves `turn/start`: answers and runs a turn that fails. */
export function failedTurn(error: Partial<protocol.v2.TurnError> & { message: string }): readonly Action[] {
  const full = { codexErrorInfo: 'other' as const, additionalDetails: null, misalignment: null, ...error }
  const told: NotificationParams<'error'> = {
    error: full,
    willRetry: false,
    threadId: '$threadId',
    turnId: '$turnId',
  }
  return [
    reply(),
    ...turnStarted(),
    notify('error', told),
    ...turnCompleted({ status: 'failed', error: full }),
  ]
}

export function turnStarted(): readonly Action[] {
  const started: NotificationParams<'turn/started'> = { threadId: '$threadId', turn: fakeTurn('$turnId') }
  return [status({ type: 'active', activeFlags: [] }), notify('turn/started', started)]
}

/** One agent message, begun, streamed and completed. */
export function agentMessage(text: string, deltas: readonly string[] = [text]): readonly Action[] {
  const place = { threadId: '$threadId', turnId: '$turnId' }
  return [
    notify('item/started', { ...place, item: messageItem(''), startedAtMs: 0 }),
    ...deltas.map((delta) => notify('item/agentMessage/delta', { ...place, itemId: ITEM_ID, delta })),
    notify('item/completed', { ...place, item: messageItem(text), completedAtMs: 0 }),
  ]
}

/** Ends the turn: completed unless said otherwise. */
export function turnCompleted(end: Partial<Turn> = {}): readonly Action[] {
  const turn: Turn = { ...fakeTurn('$turnId'), status: 'completed', completedAt: 1, durationMs: 1, ...end }
  const after = turn.status === 'failed' ? ({ type: 'systemError' } as const) : ({ type: 'idle' } as const)
  return [status(after), notify('turn/completed', { threadId: '$threadId', turn })]
}

export function fakeTurn(id: string): Turn {
  return {
    id,
    rootTurnId: id,
    items: [],
    itemsView: 'notLoaded',
    status: 'inProgress',
    error: null,
    startedAt: 0,
    completedAt: null,
    durationMs: null,
  }
}

function status(to: protocol.v2.ThreadStatus): Action {
  return notify('thread/status/changed', { threadId: '$threadId', status: to })
}

function messageItem(text: string): protocol.v2.ThreadItem {
  return {
    type: 'agentMessage',
    id: ITEM_ID,
    text,
    phase: null,
    memoryCitation: null,
    delivery: null,
    questions: null,
  }
}
