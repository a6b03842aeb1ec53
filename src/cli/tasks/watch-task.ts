// A task as `run` shows a turn: the answer on stdout, what happens on stderr, questions for whoever is there.
import type { DrawbridgeClient, EventEnvelope, Task } from '../../api/index.ts'
import type { Question } from '../../codex/index.ts'
import type { OwnEvents } from '../../tasks/index.ts'
import { EXIT, type Interruption, type Surroundings } from '../process/index.ts'
import { howToAnswer, isDenied, personAt } from '../prompts/index.ts'
import { type RunResult, TerminalView } from '../run/index.ts'
import { printJson, Terminal } from '../screen/index.ts'
import { reconnects } from '../service/index.ts'
import { endLines, nextLine } from './end-lines.ts'
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

/**
 * Resolves with the exit code. Ctrl-C interrupts the task, which is followed to its end all the same; TERM, a closed
 * terminal and a closed pipe only end the watching.
 */
export async function watchTask({ client, task, after, json, surroundings }: WatchOptions): Promise<number> {
  const { interrupted } = surroundings
  const view = json ? jsonView(surroundings) : terminalView({ client, task, surroundings })
  const watching = new AbortController()
  const interrupt = () => {
    if ((interrupted.reason as Interruption).isCtrlC) void client.tasks.interrupt(task.id).catch(() => {})
    else watching.abort()
  }
  if (interrupted.aborted) interrupt()
  interrupted.addEventListener('abort', interrupt, { once: true })
  let declined = 0
  try {
    const ended = await streamTask({
      client,
      task,
      after,
      signal: watching.signal,
      onReconnect: reconnects(surroundings, view.tell),
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
  tell(line: string): void
  ended(task: Task): void
  close(): void
}

function jsonView(surroundings: Surroundings): View {
  return {
    event: (envelope) => printJson(surroundings, { type: 'event', ...envelope }),
    tell: () => {},
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
  const run = new TerminalView(terminal, { cwd: task.cwd })
  const events = new EventView(terminal, run, { threadId: task.threadId, hasResult: true })
  const person = personAt(terminal, surroundings)
  const questions = person && new Questions({ client, person, tell: (line) => terminal.line(line, 'yellow') })
  const tellHow = async (approvalId: string) => {
    const { question } = await client.approval(approvalId)
    terminal.line(`  It waits for an answer: ${howToAnswer(shortId(approvalId), question as Question)}`)
  }
  return {
    event: (envelope) => {
      events.event(envelope)
      if (envelope.event.method !== 'drawbridge/approval') return
      const approval = envelope.event.params as OwnEvents['drawbridge/approval']
      if (questions) questions.hear(approval)
      // Where the service is gone meanwhile, that is told by what follows it.
      else if (approval.status === 'pending') tellHow(approval.approvalId).catch(() => {})
    },
    tell: (line) => terminal.line(line, 'yellow'),
    ended: (ended) => {
      run.end(endLines(ended, Date.now()), { usage: ended.usage as RunResult['usage'], threadId: null })
      terminal.line(nextLine(ended), 'dim')
    },
    close: () => terminal.clearStatus(),
  }
}

function isDecline({ event }: EventEnvelope): boolean {
  if (event.method !== 'drawbridge/approval') return false
  const { status, answer } = event.params as OwnEvents['drawbridge/approval']
  return status === 'answered' && isDenied(answer as Parameters<typeof isDenied>[0])
}
