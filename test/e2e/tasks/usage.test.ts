// What is counted by day, against what the scripted model said that it used.
import { describe, expect, it } from 'vitest'
import { openCodex } from '../../../src/codex/index.ts'
import { appServerPool } from '../../../src/hosts/index.ts'
import type { DurableTasks, UsageFigures } from '../../../src/tasks/index.ts'
import {
  functionCall,
  lastUserText,
  type ModelRequest,
  message,
  shell,
  toolOutputs,
  usage,
} from '../../../src/testing/index.ts'
import { ALICE, openTasks } from '../../support/open-tasks.ts'
import { eventThat, isStreaming, questionOf, runTask, taskThat } from '../../support/task-facts.ts'

/** Both, should midnight be near. */
const TODAY = { days: 2, timeZone: 'UTC' }

async function totalOf(tasks: DurableTasks): Promise<UsageFigures> {
  return (await tasks.usage(TODAY)).total
}

const queue = (input: string) => ({ input, mode: 'queue' }) as const
const turns = (count: number, status: string) => (task: { turnCount: number; status: string }) =>
  task.turnCount === count && task.status === status

describe('tokens', () => {
  it('of every model call are in the sums once: of all turns, of a fork only its own', async () => {
    const { tasks, request, database } = await openTasks((call) => {
      if (lastUserText(call) === 'look' && toolOutputs(call).length === 0)
        return [shell('echo x'), usage({ input: 1_000, cached: 100, output: 20, reasoning: 5 })]
      return [message('done'), usage({ input: 3_000, cached: 900, output: 70, reasoning: 11 })]
    })
    const first = await runTask(tasks, request('look'))
    const once = { input: 4_000, cachedInput: 1_000, output: 90, reasoningOutput: 16 }
    expect((await totalOf(tasks)).tokens).toEqual(once)
    await tasks.send(first.id, queue('go on'), ALICE)
    await taskThat(tasks, first.id, turns(2, 'completed'))
    expect((await totalOf(tasks)).tokens).toEqual({
      ...{ input: 7_000, cachedInput: 1_900, output: 160, reasoningOutput: 27 },
    })
    const fork = await tasks.fork(first.id, { prompt: 'another way' }, ALICE)
    await tasks.wait(fork.id, { timeoutMs: 20_000 })
    await tasks.send(fork.id, queue('and on'), ALICE)
    await taskThat(tasks, fork.id, turns(2, 'completed'))
    const after = await totalOf(tasks)
    expect(after).toMatchObject({
      turns: { started: 4, completed: 4, failed: 0, interrupted: 0 },
      tokens: { input: 13_000, cachedInput: 3_700, output: 300, reasoningOutput: 49 },
    })
    await tasks.delete(first.id)
    await tasks.delete(fork.id)
    expect(await totalOf(tasks)).toEqual(after)
    const byTurn = await database.reader
      .selectFrom('turns')
      .select('input_tokens')
      .orderBy('ended_at')
      .execute()
    expect(byTurn.map(({ input_tokens }) => input_tokens)).toEqual([4_000, 3_000, 3_000, 3_000])
  })

  it('of sub-agents are counted with the turn they work for', async () => {
    const agents = { namespace: 'multi_agent_v1' }
    const { tasks, request } = await openTasks((call: ModelRequest) => {
      const outputs = toolOutputs(call)
      if (lastUserText(call).includes('CHILD'))
        return [message('child is done'), usage({ input: 7_000, output: 70 })]
      const little = usage({ input: 100, output: 1 })
      if (outputs.length === 0) return [functionCall('spawn_agent', { message: 'CHILD' }, agents), little]
      const wait = { targets: [JSON.parse(outputs[0]!.text).agent_id], timeout_ms: 15_000 }
      return outputs.length === 1
        ? [functionCall('wait_agent', wait, agents), little]
        : [message('parent is done'), little]
    })
    const task = await runTask(tasks, request('go'))
    expect(task.usage).toMatchObject({ inputTokens: 300, outputTokens: 3 })
    expect(await totalOf(tasks)).toMatchObject({
      turns: { started: 1, completed: 1 },
      tokens: { input: 7_300, output: 73 },
    })
  })
})

describe('a turn that outlives the service', () => {
  it('counts once, with all it used, also what it used before', async () => {
    const { tasks, request, close, open } = await openTasks((call) =>
      toolOutputs(call).length === 0
        ? [shell('echo x'), usage({ input: 500, output: 5 })]
        : [message('word ', { count: 40, delayMs: 40 }), usage({ input: 700, output: 7 })],
    )
    const { id } = await tasks.start(request('go'), ALICE)
    await eventThat(tasks, id, isStreaming)
    expect((await totalOf(tasks)).turns).toMatchObject({ started: 1, completed: 0 })
    await close()
    const again = await open()
    expect((await totalOf(again.tasks)).turns).toMatchObject({ started: 1, completed: 0 })
    await again.tasks.wait(id, { timeoutMs: 30_000 })
    expect(await totalOf(again.tasks)).toMatchObject({
      turns: { started: 1, completed: 1 },
      tokens: { input: 1_200, output: 12 },
    })
  })

  it('and ends while it is gone counts when the next one takes it in, for the time it ended', async () => {
    const gate = Promise.withResolvers<void>()
    const { tasks, request, close, open, model, pool, dataDir } = await openTasks(async (call) => {
      if (lastUserText(call) === 'wait') await gate.promise
      return [message('done'), usage({ input: 5_000, cached: 10, output: 50 })]
    })
    const { id } = await tasks.start(request('wait'), ALICE)
    await model.waitForRequests(1)
    const { threadId } = await taskThat(tasks, id, turns(1, 'working'))
    expect(pool.list()).toMatchObject([{ holds: 1 }])
    await close()
    gate.resolve()
    await untilIdle(dataDir, threadId!)
    const again = await open()
    const ended = await taskThat(again.tasks, id, turns(1, 'completed'))
    expect(ended.usage).toMatchObject({ inputTokens: 5_000 })
    expect(await totalOf(again.tasks)).toMatchObject({
      turns: { started: 1, completed: 1 },
      tokens: { input: 5_000, cachedInput: 10, output: 50 },
    })
    await again.tasks.send(id, queue('more'), ALICE)
    await taskThat(again.tasks, id, turns(2, 'completed'))
    expect(await totalOf(again.tasks)).toMatchObject({
      turns: { started: 2, completed: 2 },
      tokens: { input: 10_000, output: 100 },
    })
  })
})

/** Asks codex itself, while no service runs. */
async function untilIdle(dataDir: string, threadId: string): Promise<void> {
  const pool = appServerPool({ dataDir })
  const [appServer] = await pool.adopt()
  const codex = await openCodex(appServer!.host)
  for (let isIdle = false; !isIdle; ) {
    const { thread } = await codex.request('thread/read', { threadId, includeTurns: false })
    isIdle = thread.status.type === 'idle'
  }
  await codex.close()
  await pool.release()
}

describe('questions', () => {
  it('are counted by who answered, with how long a person took', async () => {
    let time = Date.parse('2026-11-16T12:00Z')
    const script = (call: ModelRequest) =>
      toolOutputs(call).length > 0 ? message('fine') : shell('touch made', { escalate: 'please' })
    const { tasks, request } = await openTasks(script, { now: () => time })
    const { id } = await tasks.start(request('go'), ALICE)
    const question = await questionOf(tasks, id)
    time += 40_000
    await tasks.decide(question.id, { answer: 'once' }, ALICE)
    await tasks.wait(id, { timeoutMs: 20_000 })
    await runTask(tasks, request('go', { rules: ['deny command touch'] }))
    const asked = await tasks.start(request('go'), ALICE)
    await questionOf(tasks, asked.id)
    await tasks.interrupt(asked.id, ALICE)
    expect(await totalOf(tasks)).toMatchObject({
      turns: { started: 3, completed: 2, interrupted: 1 },
      questions: { asked: 3, byRule: 1, byPerson: 1, byDefault: 0, withdrawn: 1 },
      wait: { medianMs: 40_000, maxMs: 40_000 },
    })
  })
})

it('open threads are told of each app-server', async () => {
  const { tasks, request } = await openTasks(() => message('ok'))
  expect(tasks.appServers()).toEqual([])
  await runTask(tasks, request('one'))
  await runTask(tasks, request('two'))
  expect(tasks.appServers()).toMatchObject([{ state: 'running', holds: 0, threads: 2 }])
})
