// Codex's own terminal on a task, in a real terminal, on the real service.
import { describe, expect, it } from 'vitest'
import type { Approval, AuditEntry, Task, TaskDetail } from '../../../src/api/index.ts'
import {
  lastUserText,
  type ModelRequest,
  message,
  type Reply,
  shell,
  toolOutputs,
} from '../../../src/testing/index.ts'
import { eventually, taggedRunning } from '../../faults/processes.ts'
import { PROGRAM } from '../../support/program.ts'
import { serviceStage } from '../../support/service-stage.ts'
import { TmuxRun } from '../../support/tmux.ts'

type Stage = Awaited<ReturnType<typeof serviceStage>>

const ASKS = 'Would you like to run the following command?'

/** Answers with what it was told. `please ask` makes it ask for a command first, `slowly` takes a minute. */
function echo(request: ModelRequest): Reply {
  const text = lastUserText(request)
  const isAsked = toolOutputs(request).length > 0
  if (text === 'slowly') return message('tick\n\n', { count: 600, delayMs: 100 })
  if (text === 'please ask' && !isAsked) return shell('touch made', { escalate: 'please' })
  return message(`said ${text}`)
}

function attach({ env, cwd }: Stage, ...args: string[]): TmuxRun {
  return new TmuxRun([process.execPath, PROGRAM, 'task', 'attach', ...args], { env, cwd })
}

async function taskThat({ json }: Stage, id: string, fits: (task: Task) => boolean): Promise<Task> {
  const look = async () => (await json<TaskDetail>('task', 'show', id)).task
  await expect.poll(async () => fits(await look()), { timeout: 40_000, interval: 200 }).toBe(true)
  return look()
}

async function started(stage: Stage, prompt = 'one', ...args: string[]): Promise<Task> {
  const { id } = await stage.start(prompt, ...args)
  return taskThat(stage, id, ({ status }) => ['completed', 'idle', 'waiting'].includes(status))
}

const audited = ({ json }: Stage) => json<AuditEntry[]>('audit')

describe('task attach', () => {
  it('shows the transcript, has a turn there that is the task’s, and leaves the task', async () => {
    const stage = await serviceStage(echo)
    const { id } = await started(stage)
    const terminal = attach(stage, id)
    await terminal.shows('said one')
    await terminal.say('two')
    await terminal.shows('said two')
    const ended = await taskThat(
      stage,
      id,
      ({ turnCount, status }) => turnCount === 2 && status === 'completed',
    )
    expect(ended.result?.text).toBe('said two')
    await stage.json('task', 'send', id, 'three')
    await terminal.shows('said three')
    await taskThat(stage, id, ({ turnCount, status }) => turnCount === 3 && status === 'completed')
    await terminal.say('/quit')
    await terminal.shows(/ is completed: the turn is done\nleft with 0/)
  })

  it('has the open question: answered there, it is answered here by the codex terminal', async () => {
    const stage = await serviceStage(echo)
    const { id } = await started(stage, 'please ask')
    const terminal = attach(stage, id)
    await terminal.shows(ASKS)
    await terminal.answer(ASKS, 'y')
    await terminal.shows('said please ask')
    await taskThat(stage, id, ({ status }) => status === 'completed')
    expect(await audited(stage)).toMatchObject([{ actor: 'codex terminal', by: 'person', answer: 'once' }])
  })

  it('loses the question when it is answered here', async () => {
    const stage = await serviceStage(echo)
    const { id } = await started(stage, 'please ask')
    const terminal = attach(stage, id)
    await terminal.shows(ASKS)
    const [question] = await stage.json<Approval[]>('approvals')
    await stage.json('deny', question!.id)
    await terminal.hides(ASKS)
    await terminal.shows('said please ask')
    await taskThat(stage, id, ({ status }) => status === 'completed')
    expect(await audited(stage)).toMatchObject([{ by: 'person', answer: 'deny' }])
  })

  it('has a turn while a message is queued here, which goes afterwards; two terminals show both', async () => {
    const stage = await serviceStage(echo)
    const { id } = await started(stage)
    const terminals = [attach(stage, id), attach(stage, id)] as const
    for (const terminal of terminals) await terminal.shows('said one')
    await terminals[0].say('please ask')
    for (const terminal of terminals) await terminal.shows(ASKS)
    await taskThat(stage, id, ({ turnCount, status }) => turnCount === 2 && status === 'waiting')
    await stage.json('task', 'send', id, 'three')
    await terminals[1].answer(ASKS, 'y')
    for (const terminal of terminals) await terminal.shows('said three')
    const ended = await taskThat(
      stage,
      id,
      ({ turnCount, status }) => turnCount === 3 && status === 'completed',
    )
    expect(ended.result?.text).toBe('said three')
  })

  it('shows a turn from here while it streams, and its end when it is interrupted here', async () => {
    const stage = await serviceStage(echo)
    const { id } = await started(stage)
    const terminal = attach(stage, id)
    await terminal.shows('said one')
    await stage.json('task', 'send', id, 'slowly')
    await terminal.shows('tick')
    const working = await taskThat(stage, id, ({ turnId }) => turnId !== null)
    expect(working).toMatchObject({ status: 'working', turnCount: 2 })
    await stage.json('task', 'interrupt', id)
    await terminal.shows(/interrupted/i)
  })

  it('opens a new task, which is idle until something is said in the terminal', async () => {
    const stage = await serviceStage(echo)
    const terminal = attach(stage, '--new', '--title', 'by hand')
    await terminal.shows('OpenAI Codex')
    const [task] = await stage.json<Task[]>('task', 'list')
    expect(task).toMatchObject({ status: 'idle', title: 'by hand', turnCount: 0, cwd: stage.cwd })
    await terminal.say('one')
    await terminal.shows('said one')
    await taskThat(stage, task!.id, ({ turnCount, status }) => turnCount === 1 && status === 'idle')
  })

  it('without a terminal says what to use instead, and where the thread is with --json', async () => {
    const stage = await serviceStage(echo)
    const { id, threadId } = await started(stage)
    const piped = await stage.cli(['task', 'attach', id])
    expect(piped).toMatchObject({ code: 2, stdout: '' })
    expect(piped.stderr).toMatch(/^drawbridge: task attach needs a terminal: use drawbridge task logs -f/)
    expect(await stage.json('task', 'attach', id)).toMatchObject({ taskId: id, threadId })
    const both = await stage.cli(['task', 'attach', id, '--new', '--json'])
    expect(both.stderr).toMatch(/name a task, or open a new one/)
    const late = await stage.cli(['task', 'attach', id, '--sandbox', 'read-only', '--json'])
    expect(late).toMatchObject({ code: 2, stderr: expect.stringContaining('--sandbox is for --new') })
  })
})

describe('kill -9', () => {
  /** A turn from the terminal that waits for an answer. */
  async function asked() {
    const stage = await serviceStage(echo)
    const { id } = await started(stage)
    const terminal = attach(stage, id)
    await terminal.shows('said one')
    await terminal.say('please ask')
    await terminal.shows(ASKS)
    await taskThat(stage, id, ({ turnCount, status }) => turnCount === 2 && status === 'waiting')
    const killService = async () => {
      const { pid } = stage.record()
      process.kill(pid, 'SIGKILL')
      await eventually(
        () => !taggedRunning(stage.tag, ' serve').some((line) => line.startsWith(`${pid} `)),
        'the service is gone',
      )
    }
    return { stage, id, terminal, killService }
  }

  it('of the terminal leaves the turn and its question', async () => {
    const { stage, id, terminal } = await asked()
    const terminals = [' task attach ', '--remote'].flatMap((text) => taggedRunning(stage.tag, text))
    for (const line of terminals) process.kill(Number.parseInt(line, 10), 'SIGKILL')
    await eventually(() => taggedRunning(stage.tag, '--remote').length === 0, 'the terminal is gone')
    terminal.kill()
    const question = await stage.question()
    await stage.json('approve', question.id)
    const ended = await taskThat(stage, id, ({ status }) => status === 'completed')
    expect(ended).toMatchObject({ turnCount: 2, result: { text: 'said please ask' } })
  })

  it('of the service: what is answered in the terminal meanwhile is known when it is back', async () => {
    const { stage, id, terminal, killService } = await asked()
    await killService()
    await terminal.answer(ASKS, 'y')
    await terminal.shows('said please ask')
    const ended = await taskThat(stage, id, ({ status }) => status === 'completed')
    expect(ended).toMatchObject({ turnCount: 2, result: { text: 'said please ask' } })
    expect(await audited(stage)).toMatchObject([{ actor: 'codex terminal', answer: 'once' }])
    await terminal.say('three')
    await terminal.shows('said three')
    await taskThat(stage, id, ({ turnCount, status }) => turnCount === 3 && status === 'completed')
  })

  it('of both leaves the turn, which is found with its question', async () => {
    const { stage, id, terminal, killService } = await asked()
    const terminals = taggedRunning(stage.tag, '--remote')
    for (const line of terminals) process.kill(Number.parseInt(line, 10), 'SIGKILL')
    await killService()
    terminal.kill()
    const before = await taskThat(stage, id, ({ status }) => status === 'waiting')
    expect(before.turnCount).toBe(2)
    const question = await stage.question()
    await stage.json('deny', question.id)
    await taskThat(stage, id, ({ status }) => status === 'completed')
  })
})
