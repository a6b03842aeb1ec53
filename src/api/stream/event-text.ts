// An event as it is sent. The frame goes out as it is stored: it is never parsed or written again.
import type { TaskEvent } from '../../tasks/index.ts'

function eventJson({ taskId, seq, at, frame }: TaskEvent): string {
  return `{"taskId":${JSON.stringify(taskId)},"seq":${seq},"at":${at},"event":${onOneLine(frame)}}`
}

/** Many may follow one task: each event is put together once for all of them. A WeakMap costs ten times as much. */
const MESSAGE = Symbol('message')

interface Kept {
  [MESSAGE]?: string
}

/** The event as a message of a stream; with an id where a reader can go on after it. */
export function eventMessage(event: TaskEvent & Kept, { hasId }: { hasId: boolean }): string {
  if (!hasId) return `data: ${eventJson(event)}\n\n`
  event[MESSAGE] ??= `id: ${event.seq}\ndata: ${eventJson(event)}\n\n`
  return event[MESSAGE]
}

export function eventList(events: readonly TaskEvent[]): string {
  return `[${events.map(eventJson).join(',')}]`
}

/** A line break in JSON is always between its parts, and would end the message of a stream. */
function onOneLine(frame: string): string {
  return frame.includes('\n') || frame.includes('\r') ? frame.replace(/[\r\n]/g, ' ') : frame
}
