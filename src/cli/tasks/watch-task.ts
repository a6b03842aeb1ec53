// A task as `run` shows a turn: the answer on stdout, what happens on stderr, questions for whoever is there.
import type { DrawbridgeClient, EventEnvelope, Task } from '../../api/index.ts'
import type { OwnEvents } from '../../tasks/index.ts'
import { isDenied } from '../approvals/decision-text.ts'
import { EXIT } from '../exit-code.ts'
import { printJson } from '../output.ts'
import { personAt } from '../person-at.ts'
import type { RunResult } from '../run/run-result.ts'
import { TerminalView } from '../run/terminal-view.ts'
import type { Surroundings } from '../surroundings.ts'
import { Terminal } from '../terminal.ts'
import { EventView } from './event-view.ts'
import { shortId } from './find-id.ts'
import { Questions } from './questions.ts'
import { streamTask } from './stream-task.ts'
import { exitCodeOfTask } from './task-exit.ts'

interface WatchOptions {
  readonly client: DrawbridgeClient
  readonly task: Task
  readonly after: number
  readonly json: boolean
  readonly surroundings: Surroundings
}

/** Resolves with the exit code. Ctrl-C interrupts the task; it is followed to its end all the same. */
export async function watchTask({ client, task, after, json, surroundings }: WatchOptions): Promise<number> {
  const { interrupted } = surroundings
  const view = json ? jsonView(surroundings) : terminalView({ client, task, surroundings })
  const interrupt = () => void client.tasks.interrupt(task.id).catch(() => {})
  interrupted.addEventListener('abort', interrupt, { once: true })
  let declined = 0
  try {
    const ended = await streamTask({
      client,
      task,
      after,
      signal: new AbortController().signal,
      onReconnect: () => view.reconnecting(),
      onEvent: (envelope) => {
        if (isDecline(envelope)) declined++
        view.event(envelope)
      },
    })
    view.ended(ended)
    const code = exitCodeOfTask(ended)
    return code === EXIT.done && declined > 0 ? EXIT.declined : code
  } finally {
    interrupted.removeEventListener('abort', interrupt)
    view.close()
  }
}

interface View {
  event(envelope: EventEnvelope): void
  reconnecting(): void
  ended(task: Task): void
  close(): void
}

function jsonView(surroundings: Surroundings): View {
  return {
    event: (envelope) => printJson(surroundings, { type: 'event', ...envelope }),
    reconnecting: () => {},
    ended: (task) => printJson(surroundings, { type: 'result', task }),
    close: () => {},
  }
}

function terminalView({
  client,
  task,
  surroundings,
}: Pick<WatchOptions, 'client' | 'task' | 'surroundings'>): View {
  const terminal = new Terminal(surroundings)
  const run = new TerminalView(terminal)
  const events = new EventView(terminal, run, { threadId: task.threadId, hasResult: true })
  const person = personAt(terminal, surroundings)
  const questions = person && new Questions({ client, person, tell: (line) => terminal.line(line, 'yellow') })
  return {
    event: (envelope) => {
      events.event(envelope)
      if (envelope.event.method !== 'drawbridge/approval') return
      const approval = envelope.event.params as OwnEvents['drawbridge/approval']
      if (questions) questions.hear(approval)
      else if (approval.status === 'pending') terminal.line(howToAnswer(approval.approvalId))
    },
    reconnecting: () => terminal.line('… the connection to the service broke; trying again', 'yellow'),
    ended: (ended) => {
      run.result(resultOf(ended))
      terminal.line(
        `task ${shortId(task.id)}: ${ended.status} · more: drawbridge task send ${shortId(task.id)} "…"`,
        'dim',
      )
    },
    close: () => terminal.clearStatus(),
  }
}

function howToAnswer(approvalId: string): string {
  const id = shortId(approvalId)
  return `  It waits for an answer: drawbridge approve ${id}, or drawbridge deny ${id}`
}

function isDecline({ event }: EventEnvelope): boolean {
  if (event.method !== 'drawbridge/approval') return false
  const { status, answer } = event.params as OwnEvents['drawbridge/approval']
  return status === 'answered' && isDenied(answer as Parameters<typeof isDenied>[0])
}

function resultOf({ status, reason, failure, result, usage, turnId }: Task): RunResult {
  const known = { text: result?.text ?? null, threadId: null, turnId, usage: usage as RunResult['usage'] }
  if (status === 'completed' || status === 'idle') return { ...known, status: 'completed', error: null }
  if (status === 'interrupted') return { ...known, status, error: null }
  const error = { code: failure?.code ?? status, message: failure?.message ?? reason }
  return { ...known, status: status === 'timed-out' ? status : 'failed', error }
}
