// The service is stopped and started again: nothing is lost, nothing comes twice.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { openCodex } from '../../../src/codex/index.ts'
import type { DurableTasks, RunningAppServer } from '../../../src/tasks/index.ts'
import { hang, lastUserText, message, shell, toolOutputs } from '../../../src/testing/index.ts'
import { cuttablePool } from '../../support/cuttable-pool.ts'
import { ALICE, allEvents, openTasks } from '../../support/open-tasks.ts'
import { eventThat, isStreaming, paramsOf, questionOf, runTask, taskThat } from '../../support/task-facts.ts'

async function expectEachOnce(tasks: DurableTasks, id: string): Promise<void> {
  const events = await allEvents(tasks, id)
  const items = events
    .filter(({ method }) => method === 'item/completed')
    .map((event) => paramsOf(event).item.id)
  expect(new Set(items).size).toBe(items.length)
  const turns = events
    .filter(({ method }) => method === 'turn/completed')
    .map((event) => paramsOf(event).turn.id)
  expect(new Set(turns).size).toBe(turns.length)
  const seqs = events.map(({ seq }) => seq)
  expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b))
}

describe('a restart', () => {
  it('while the model streams: the turn goes on, and the answer is there', async () => {
    const { tasks, request, close, open } = await openTasks(() =>
      message('word ', { count: 40, delayMs: 40 }),
    )
    const { id } = await tasks.start(request('go'), ALICE)
    await eventThat(tasks, id, isStreaming)
    const before = await tasks.get(id)
    await close()
    const again = await open()
    expect(await again.tasks.get(id)).toMatchObject({ status: 'working', turnId: before.turnId })
    const task = await again.tasks.wait(id, { timeoutMs: 30_000 })
    expect(task).toMatchObject({ status: 'completed', turnCount: 1, result: { turnId: before.turnId } })
    expect(task.result!.text).toBe('word '.repeat(40))
    await expectEachOnce(again.tasks, id)
    const deltas = (await allEvents(again.tasks, id)).filter(({ method }) => method.endsWith('/delta'))
    expect(deltas).toEqual([])
  })

  it('during which the turn ended: what codex did meanwhile is in the log', async () => {
    const gate = Promise.withResolvers<void>()
    const { tasks, request, close, open, model } = await openTasks(async (call) => {
      if (toolOutputs(call).length === 0) return [message('I look'), shell('echo looked')]
      await gate.promise
      return message('found it')
    })
    const { id } = await tasks.start(request('go'), ALICE)
    await model.waitForRequests(2)
    await close()
    gate.resolve()
    const again = await open()
    const task = await taskThat(again.tasks, id, ({ status }) => status === 'completed')
    expect(task).toMatchObject({ result: { text: 'found it' }, turnCount: 1, turnId: null })
    await expectEachOnce(again.tasks, id)
    const texts = (await allEvents(again.tasks, id)).filter(({ frame }) =>
      /item\/completed.*agentMessage/.test(frame),
    )
    expect(texts.map((event) => paramsOf(event).item.text)).toEqual(['I look', 'found it'])
  })

  it('whose turn ends while codex is asked which turn runs: the task ends too', async () => {
    const { wrapPool, holdReply, heard } = cuttablePool()
    let adopted: readonly RunningAppServer[] = []
    const { tasks, request, close, open } = await openTasks(() => [message('half'), hang()], {
      wrapPool: (pool) => {
        const wrapped = wrapPool(pool)
        return { ...wrapped, adopt: async (options) => (adopted = await wrapped.adopt(options)) }
      },
    })
    const { id } = await tasks.start(request('go'), ALICE)
    await eventThat(tasks, id, ({ frame }) => /item\/completed.*agentMessage/.test(frame))
    const { threadId, turnId } = await tasks.get(id)
    await close()
    const held = holdReply('thread/turns/list')
    const ended = heard('turn/completed')
    const opening = open()
    const letThrough = await held
    await using other = await openCodex(adopted[0]!.host)
    await other.request('turn/interrupt', { threadId: threadId!, turnId: turnId! })
    await ended
    letThrough()
    const again = await opening
    expect(await taskThat(again.tasks, id, ({ status }) => status === 'interrupted')).toMatchObject({
      turnId: null,
      turnCount: 1,
    })
    await expectEachOnce(again.tasks, id)
  })

  it('with a question open: it has the same id, and can be answered', async () => {
    const { tasks, request, close, open, cwd } = await openTasks((call) =>
      toolOutputs(call).length > 0 ? message('fine') : shell('touch made', { escalate: 'please' }),
    )
    const { id } = await tasks.start(request('go'), ALICE)
    const question = await questionOf(tasks, id)
    await close()
    const again = await open()
    expect((await again.tasks.approvals({ status: 'pending' })).items).toMatchObject([
      { id: question.id, status: 'pending' },
    ])
    expect(await again.tasks.get(id)).toMatchObject({ status: 'waiting', waitingFor: 'approval' })
    await again.tasks.decide(question.id, { answer: 'once' }, ALICE)
    expect(await again.tasks.wait(id, { timeoutMs: 20_000 })).toMatchObject({ status: 'completed' })
    expect(existsSync(path.join(cwd, 'made'))).toBe(true)
    await expectEachOnce(again.tasks, id)
    expect((await again.tasks.approvals({ taskId: id })).items).toHaveLength(1)
  })

  it('with a deadline on a question: it still ends at its time', async () => {
    const { tasks, request, close, open } = await openTasks((call) =>
      toolOutputs(call).length > 0 ? message('fine') : shell('touch made', { escalate: 'please' }),
    )
    const { id } = await tasks.start(request('go', { approvalTimeoutMs: 2_000 }), ALICE)
    const question = await questionOf(tasks, id)
    await close()
    const again = await open()
    await taskThat(again.tasks, id, ({ status }) => status === 'completed')
    const settled = await again.tasks.approval(question.id)
    expect(settled).toMatchObject({ answer: 'deny', by: 'default' })
    expect(settled.settledAt).toBeGreaterThanOrEqual(question.deadlineAt!)
  })

  it('with tasks in the queue: they keep their order', async () => {
    const { tasks, request, close, open, model } = await openTasks(
      (call) =>
        lastUserText(call) === 'first' ? [message('half'), hang()] : message(`did ${lastUserText(call)}`),
      { settings: { maxWorking: 1 } },
    )
    const first = await tasks.start(request('first'), ALICE)
    await eventThat(tasks, first.id, isStreaming)
    const queued = [await tasks.start(request('second'), ALICE), await tasks.start(request('third'), ALICE)]
    await tasks.send(first.id, { input: 'more', mode: 'queue' }, ALICE)
    await close()
    const again = await open()
    const positions = await Promise.all(queued.map(({ id }) => again.tasks.get(id)))
    expect(positions.map(({ status, queuePosition }) => [status, queuePosition])).toEqual([
      ['queued', 1],
      ['queued', 2],
    ])
    await again.tasks.interrupt(first.id, ALICE)
    for (const { id } of [...queued, first])
      await taskThat(again.tasks, id, ({ status }) => status === 'completed')
    expect(model.requests.map(lastUserText)).toEqual(['first', 'second', 'third', 'more'])
  })

  it('leaves what has ended as it was, standing rules and all', async () => {
    const { tasks, request, close, open, model } = await openTasks(() => message('ok'))
    const ended = await runTask(tasks, request('go'))
    const rule = await tasks.addRule({ text: 'allow command ls', note: 'fine' }, ALICE)
    const events = await allEvents(tasks, ended.id)
    await close()
    const again = await open()
    expect(await again.tasks.get(ended.id)).toEqual(ended)
    expect(await again.tasks.rules()).toEqual([rule])
    expect(await allEvents(again.tasks, ended.id)).toEqual(events)
    expect(model.requests).toHaveLength(1)
  })
})
