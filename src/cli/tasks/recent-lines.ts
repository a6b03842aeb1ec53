// The newest events of a task in a few lines, as `task logs` tells them: streams are left out, and long ones cut.
import type { EventEnvelope } from '../../api/index.ts'
import { TerminalView } from '../run/index.ts'
import { ago, cutToColumns, Terminal } from '../screen/index.ts'
import { EventView } from './event-view.ts'

const MAX_LINES = 8
const MAX_COLUMNS = 110
/** Of one event: the end of a command's output, and how it ended. */
const LINES_PER_EVENT = 2

export function recentLines(
  events: readonly EventEnvelope[],
  { threadId, now }: { threadId: string | null; now: number },
): string[] {
  const lines = events
    .filter(({ event }) => !event.method.endsWith('elta'))
    .flatMap((envelope) => {
      const when = ago(envelope.at, now).padStart(9)
      return shown(envelope, threadId).map((line) => `${when}  ${cutToColumns(line, MAX_COLUMNS)}`)
    })
  return lines.slice(-MAX_LINES)
}

function shown(envelope: EventEnvelope, threadId: string | null): string[] {
  let text = ''
  const output = { write: (more: string) => (text += more) }
  const terminal = new Terminal({ stdout: output, stderr: output, useColour: false })
  new EventView(terminal, new TerminalView(terminal), { threadId }).event(envelope)
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const { item } = Object(envelope.event.params) as { item?: { type?: string } }
  // What codex says begins with what it is about.
  return item?.type === 'agentMessage' ? lines.slice(0, 1) : lines.slice(-LINES_PER_EVENT)
}
