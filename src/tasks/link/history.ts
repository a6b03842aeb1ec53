// What codex completed while nobody listened, from the thread's own history, as the events that were missed.
import { asyncQuestion, type protocol, redactValue, type UserInputQuestion } from '../../codex/index.ts'
import { completionsIn, type Db, type Received } from '../../store/index.ts'

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

/** What of a turn has completed as far as the log knows: its items, by all their names, and itself. */
export async function completedIn(db: Db, taskId: string, turnId: string): Promise<string[]> {
  return (await completionsIn(db, taskId, turnId)).flatMap(({ method, item_id, frame }) => {
    const { params } = JSON.parse(frame)
    const told = method === 'drawbridge/oversize' ? params.method : method
    if (told === 'turn/completed') return [turnId]
    if (told !== 'item/completed') return []
    return method === told ? knownKey(params.item) : [item_id!]
  })
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
export function knownKey(item: KnownItem): string[] {
  const keys = typeof item.id === 'string' ? [item.id] : []
  if (item.type === 'agentMessage' && typeof item.text === 'string') keys.push(`agentMessage ${item.text}`)
  if (item.type === 'userMessage') keys.push(userMessageKey(item))
  return keys
}

/** What the log needs to know an item again. */
export interface KnownItem {
  readonly id?: unknown
  readonly type?: unknown
  readonly text?: unknown
  readonly clientId?: unknown
  readonly content?: unknown
}

/** What the user has said in a turn, as it is known. */
export function messageKeys(turn: Turn): string[] {
  return itemsOf(turn)
    .filter(({ type }) => type === 'userMessage')
    .flatMap(knownKey)
}

/** Whether a turn of which this is known took in a message of ours. */
export function hasMessage(known: Known, { id, text }: { id: string; text: string }): boolean {
  return known.has(`userMessage ${id}`) || known.has(`userMessage text ${text}`)
}

function userMessageKey({ clientId, content }: KnownItem): string {
  if (typeof clientId === 'string') return `userMessage ${clientId}`
  return `userMessage text ${textOf({ content: Array.isArray(content) ? content : [] })}`
}

/** Questions in messages that nobody has said anything after; the newest turn comes first. */
export function openQuestions(turns: readonly Turn[], threadId: string): UserInputQuestion[] {
  const open: UserInputQuestion[] = []
  for (const turn of turns)
    for (const item of itemsOf(turn).toReversed()) {
      if (item.type === 'userMessage') return open.reverse()
      const question = asyncQuestion(item, { threadId, turnId: turn.id })
      if (question) open.push(question)
    }
  return open.reverse()
}

function isKnown(item: Item, known: Known): boolean {
  return knownKey(item).some((key) => known.has(key))
}

/** In a turn that runs, an item without a status of its own is there because it has completed. */
function hasCompleted(item: Item, turn: Turn): boolean {
  return turn.status !== 'inProgress' || !('status' in item) || item.status !== 'inProgress'
}

function textOf({ content }: Pick<Item & { type: 'userMessage' }, 'content'>): string {
  return content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n')
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
