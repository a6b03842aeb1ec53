// Codex does not answer when a task is to begin: it goes back to the queue, a few times, and never runs twice.
import { describe, expect, it, onTestFinished } from 'vitest'
import { type FakeCodex, type FakeScript, fake, fakeCodex, message } from '../../src/testing/index.ts'
import { ALICE, allEvents, openTasks } from '../support/open-tasks.ts'
import { paramsOf, runTask, taskThat } from '../support/task-facts.ts'

async function service(steps: FakeScript['steps']) {
  const program = await fakeCodex({ steps })
  const { tasks, request } = await openTasks(() => message('unused'), { pool: { transport: 'stdio' } })
  onTestFinished(() => program.remove())
  return { program, tasks, request: (prompt: string) => request(prompt, { codexPath: program.path }) }
}

type Tasks = Awaited<ReturnType<typeof service>>['tasks']

async function reasons(tasks: Tasks, taskId: string): Promise<string[]> {
  const events = (await allEvents(tasks, taskId)).filter(({ method }) => method === 'drawbridge/task')
  return events.map(paramsOf).map(({ status, reason }) => `${status}: ${reason}`)
}

const count = (program: FakeCodex, method: string) =>
  program.received().filter((received) => received.method === method).length

/** One call is sent once and then six times more. */
const CALLS = 7

describe('a task that has not begun', () => {
  it('is tried again when codex does not answer, and says why it waits', async () => {
    const { program, tasks, request } = await service([fake.once('thread/start', fake.noReply())])
    const task = await runTask(tasks, request('go'))
    expect(task).toMatchObject({ status: 'completed', turnCount: 1, failure: null })
    expect(await reasons(tasks, task.id)).toContainEqual(
      'queued: codex did not answer thread/start within 15000 ms. It has not begun and is tried again (2 of 4)',
    )
    expect(count(program, 'turn/start')).toBe(1)
  }, 60_000)

  it('is interrupted when its message is taken back while codex does not answer', async () => {
    const { tasks, request } = await service([fake.overloaded('thread/start', CALLS)])
    const { id } = await tasks.start(request('go'), ALICE)
    await taskThat(tasks, id, ({ status }) => status === 'starting')
    const [message] = (await tasks.show(id)).messages
    await tasks.cancelMessage(id, message!.id, ALICE)
    const task = await tasks.wait(id, { timeoutMs: 30_000 })
    expect(task).toMatchObject({ status: 'interrupted', turnCount: 0 })
    await tasks.delete(id)
  }, 60_000)

  it('is interrupted when its message is taken back while codex dies of its start', async () => {
    const dying = { on: 'thread/start', times: 1, do: [fake.delay(1_500), fake.exit(1)] }
    const { tasks, request, program } = await service([dying])
    const { id } = await tasks.start(request('go'), ALICE)
    await expect.poll(() => count(program, 'thread/start'), { timeout: 20_000 }).toBe(1)
    const [message] = (await tasks.show(id)).messages
    await tasks.cancelMessage(id, message!.id, ALICE)
    expect(await tasks.wait(id, { timeoutMs: 30_000 })).toMatchObject({ status: 'interrupted' })
    await tasks.delete(id)
  }, 60_000)

  it('that is interrupted while codex does not answer stays so, and its resume begins', async () => {
    const { tasks, request } = await service([fake.overloaded('thread/start', CALLS)])
    const { id } = await tasks.start(request('go'), ALICE)
    await taskThat(tasks, id, ({ status }) => status === 'starting')
    await tasks.interrupt(id, ALICE)
    expect(await tasks.wait(id, { timeoutMs: 30_000 })).toMatchObject({ status: 'interrupted' })
    await tasks.resume(id, {}, ALICE)
    expect(await tasks.wait(id, { timeoutMs: 30_000 })).toMatchObject({ status: 'completed', turnCount: 1 })
  }, 60_000)

  it('can be interrupted while it waits for its next start', async () => {
    const { program, tasks, request } = await service([fake.overloaded('thread/start', 1_000)])
    const { id } = await tasks.start(request('go'), ALICE)
    await taskThat(tasks, id, ({ reason }) => reason.includes('(2 of 4)'))
    expect(await tasks.interrupt(id, ALICE)).toMatchObject({ status: 'interrupted' })
    await tasks.drain({ signal: AbortSignal.timeout(10_000) })
    expect(count(program, 'thread/start')).toBe(CALLS)
  }, 60_000)

  it('opens its thread again when codex has unloaded it', async () => {
    const gone = fake.error(-32600, 'thread not found: $threadId')
    const { program, tasks, request } = await service([fake.once('turn/start', gone)])
    expect(await runTask(tasks, request('go'))).toMatchObject({ status: 'completed', turnCount: 1 })
    expect(count(program, 'turn/start')).toBe(2)
    expect(count(program, 'thread/resume')).toBe(1)
  }, 60_000)
})

describe('a turn/start without a reply', () => {
  it('that codex has in its history is not sent again', async () => {
    const content = [{ type: 'text' as const, text: '$text', text_elements: [] }]
    const said = { type: 'userMessage' as const, id: 'u', clientId: null, content }
    const { program, tasks, request } = await service([
      fake.on('turn/start', ...fake.turnStarted(), ...fake.turnCompleted({ items: [said] }), fake.noReply()),
    ])
    const task = await runTask(tasks, request('go'))
    expect(task).toMatchObject({ status: 'completed', turnCount: 1 })
    expect(count(program, 'turn/start')).toBe(1)
  }, 60_000)
})
