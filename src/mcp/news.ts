// What is new in a task since a cursor. The cursor is the sequence of the newest event a client knows of, so a client that
// gave up asks with its old cursor and misses nothing.
import type { OwnEvents, Task, TaskEvent } from '../tasks/index.ts'
import type { McpTasks } from './mcp-caller.ts'
import { eventLines } from './text/event-lines.ts'

export interface News {
  /** In order. */
  readonly lines: readonly string[]
  /** There was more before these lines. */
  readonly isCut: boolean
  /** Questions that were put since the cursor, open or not. */
  readonly questions: ReadonlySet<string>
}

const MAX_LINES = 30
const MAX_CHARACTERS = 6_000
/** Newest first, so that a long log costs no more than a short one. */
const PAGE = { limit: 400, maxBytes: 1024 * 1024 }
const MAX_PAGES = 4

/** Up to `task.lastSeq`, whatever has come since: that is the next cursor. */
export async function newsSince(cursor: number, task: Task, tasks: Pick<McpTasks, 'events'>): Promise<News> {
  const lines: string[] = []
  const questions = new Set<string>()
  let characters = 0
  let before = task.lastSeq + 1
  let isCut = false
  for (let page = 0; before > cursor + 1; page++) {
    const { events, hasMore } = await tasks.events(task.id, { before, ...PAGE })
    for (const event of events.toReversed().filter(({ seq }) => seq > cursor)) {
      const asked = askedIn(event)
      if (asked) questions.add(asked)
      const told = isAnswer(event, task) ? [] : eventLines(event)
      characters += told.reduce((sum, line) => sum + line.length, 0)
      if (lines.length + told.length > MAX_LINES || characters > MAX_CHARACTERS) isCut = true
      if (!isCut) lines.unshift(...told)
    }
    before = events[0]?.seq ?? 0
    if (!hasMore) break
    if (!isCut && page + 1 < MAX_PAGES) continue
    isCut ||= before > cursor + 1
    break
  }
  return { lines, isCut, questions }
}

/** The question that an event says is open. */
export function askedIn({ method, frame }: Pick<TaskEvent, 'method' | 'frame'>): string | null {
  if (method !== 'drawbridge/approval') return null
  const { params } = JSON.parse(frame) as { params: OwnEvents['drawbridge/approval'] }
  return params.status === 'pending' ? params.approvalId : null
}

/** The message that is told as the answer. */
function isAnswer({ method, frame }: TaskEvent, { result, status }: Task): boolean {
  if (method !== 'item/completed' || !result || status === 'working') return false
  const { item } = Object(JSON.parse(frame).params) as { item?: { type?: string; text?: string } }
  return item?.type === 'agentMessage' && item.text === result.text
}
