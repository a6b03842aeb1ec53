// What codex completed while nobody listened, from the thread's own history, as the events that were missed.
import { type protocol, redactValue } from '../codex/index.ts'
import type { Received } from './event-log.ts'

type Turn = protocol.v2.Turn
type Item = Turn['items'][number]

/** What the log already has of a turn: completed items by id (or by their text), and the turn's id once it has ended. */
export type Known = ReadonlySet<string>

/** Everything a finished or running turn has completed that the log does not know, in order. */
export function missedEvents(
  turn: Turn,
  { threadId, known }: { threadId: string; known: Known },
): Received[] {
  const missed = itemsOf(turn)
    .filter((item) => hasCompleted(item, turn) && !isKnown(item, known))
    .map((item) => {
      const params = { item: redactValue(item), threadId, turnId: turn.id }
      return received('item/completed', { params, turnId: turn.id, itemId: item.id })
    })
  if (turn.status === 'inProgress' || known.has(turn.id)) return missed
  const ended = { threadId, turn: redactValue({ ...turn, items: [], itemsView: 'notLoaded' }) }
  return [...missed, received('turn/completed', { params: ended, turnId: turn.id, itemId: null })]
}

/** The turn that took in a message of ours; null when none did. */
export function turnWithMessage(turns: readonly Turn[], message: { id: string; text: string }): Turn | null {
  const tellsIds = turns.some((turn) =>
    itemsOf(turn).some((item) => item.type === 'userMessage' && item.clientId),
  )
  const isIt = (item: Item) =>
    item.type === 'userMessage' && (tellsIds ? item.clientId === message.id : textOf(item) === message.text)
  return turns.find((turn) => itemsOf(turn).some(isIt)) ?? null
}

/** Old versions give items other ids in history than they had live; there the text tells. */
export function knownKey(item: {
  readonly id?: unknown
  readonly type?: unknown
  readonly text?: unknown
}): string[] {
  const keys = typeof item.id === 'string' ? [item.id] : []
  return item.type === 'agentMessage' && typeof item.text === 'string'
    ? [...keys, `agentMessage ${item.text}`]
    : keys
}

function isKnown(item: Item, known: Known): boolean {
  return knownKey(item).some((key) => known.has(key))
}

/** In a turn that runs, an item without a status of its own is there because it has completed. */
function hasCompleted(item: Item, turn: Turn): boolean {
  return turn.status !== 'inProgress' || !('status' in item) || item.status !== 'inProgress'
}

function textOf(item: Item & { type: 'userMessage' }): string {
  return item.content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n')
}

function itemsOf({ items }: Turn): readonly Item[] {
  return Array.isArray(items) ? items : []
}

function received(
  method: string,
  { params, turnId, itemId }: { params: unknown; turnId: string; itemId: string | null },
): Received {
  const raw = JSON.stringify({ method, params, recovered: true })
  return { method, raw, turnId, itemId, isDelta: false }
}
