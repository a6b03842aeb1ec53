import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  hang,
  lastUserText,
  type ModelRequest,
  message,
  shell,
  toolOutputs,
} from '../../../src/testing/index.ts'
import { eventually } from '../../faults/processes.ts'
import { ALICE, allEvents, openTasks } from '../../support/open-tasks.ts'
import { eventThat, isStreaming, paramsOf, questionOf, taskThat } from '../../support/task-facts.ts'

const again = { input: 'again', mode: 'queue' } as const

/** Whether a program with this word in its command line runs anywhere. */
function isRunning(word: string): boolean {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .some((pid) => commandLine(pid).includes(word))
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

describe('interrupting', () => {
  it('a turn that streams ends it, also when two do it, and it can go on', async () => {
    const { tasks, request } = await openTasks((call) =>
      lastUserText(call) === 'again' ? message('well') : [message('half'), hang()],
    )
    const { id } = await tasks.start(request('go'), ALICE)
    await eventThat(tasks, id, isStreaming)
    const both = await Promise.all([tasks.interrupt(id, ALICE), tasks.interrupt(id, ALICE)])
    expect(both.map(({ status, turnId }) => [status, turnId])).toEqual([
      ['interrupted', null],
      ['interrupted', null],
    ])
    expect(both[0]).toMatchObject({ reason: 'it was interrupted by test:alice', evidence: { by: 'user' } })
    await expect(tasks.interrupt(id, ALICE)).rejects.toMatchObject({ code: 'not-running' })
    await tasks.send(id, again, ALICE)
    const task = await taskThat(tasks, id, ({ status }) => status === 'completed')
    expect(task).toMatchObject({ result: { text: 'well' }, turnCount: 2, threadId: both[0]!.threadId })
  })

  it('a running command ends the command too', async () => {
    const seconds = `3${Date.now() % 1e8}`
    const { tasks, request } = await openTasks((call) =>
      toolOutputs(call).length > 0 ? message('well') : shell(`sleep ${seconds}`),
    )
    const { id } = await tasks.start(request('go'), ALICE)
    await eventThat(tasks, id, ({ frame }) => /item\/started.*commandExecution/.test(frame))
    await eventually(() => isRunning(seconds), 'the command runs')
    expect(await tasks.interrupt(id, ALICE)).toMatchObject({ status: 'interrupted' })
    await eventThat(tasks, id, ({ frame }) => /item\/completed.*commandExecution/.test(frame))
    await eventually(() => !isRunning(seconds), 'the command is gone')
  })

  it('a task that waits for an answer withdraws its question, with the reason', async () => {
    const { tasks, request } = await openTasks((call) =>
      lastUserText(call) === 'again' ? message('well') : shell('touch made', { escalate: 'please' }),
    )
    const { id } = await tasks.start(request('go'), ALICE)
    const question = await questionOf(tasks, id)
    expect(await tasks.get(id)).toMatchObject({ status: 'waiting', waitingFor: 'approval', openApprovals: 1 })
    expect(await tasks.interrupt(id, ALICE)).toMatchObject({
      status: 'interrupted',
      waitingFor: null,
      openApprovals: 0,
    })
    expect(await tasks.approval(question.id)).toMatchObject({
      status: 'withdrawn',
      why: expect.stringMatching(/turn.*ended|no longer/),
      settledAt: expect.any(Number),
    })
    await expect(tasks.decide(question.id, { answer: 'once' }, ALICE)).rejects.toMatchObject({
      code: 'approval-settled',
      details: { approval: { id: question.id, status: 'withdrawn' } },
    })
    await tasks.send(id, again, ALICE)
    expect(await taskThat(tasks, id, ({ status }) => status === 'completed')).toMatchObject({ turnCount: 2 })
  })

  it('a task that is being started ends it before the model hears of it', async () => {
    const { tasks, request, model } = await openTasks(() => message('ok'))
    const { id } = await tasks.start(request('go'), ALICE)
    await taskThat(tasks, id, ({ status }) => status === 'starting')
    expect(await tasks.interrupt(id, ALICE)).toMatchObject({
      status: 'interrupted',
      turnCount: 0,
      queuedMessages: 0,
    })
    expect(model.requests).toEqual([])
    await tasks.send(id, again, ALICE)
    expect(await taskThat(tasks, id, ({ status }) => status === 'completed')).toMatchObject({ turnCount: 1 })
  })

  it('a queued task takes it out of the queue', async () => {
    const { tasks, request, model } = await openTasks(
      (call: ModelRequest) => (lastUserText(call) === 'first' ? [message('half'), hang()] : message('ok')),
      { settings: { maxWorking: 1 } },
    )
    const first = await tasks.start(request('first'), ALICE)
    await eventThat(tasks, first.id, isStreaming)
    const second = await tasks.start(request('second'), ALICE)
    const third = await tasks.start(request('third'), ALICE)
    expect([second.queuePosition, third.queuePosition]).toEqual([1, 2])
    expect(await tasks.interrupt(second.id, ALICE)).toMatchObject({
      status: 'interrupted',
      reason: 'it was taken out of the queue by test:alice',
      queuePosition: null,
      queuedMessages: 0,
    })
    expect(await tasks.get(third.id)).toMatchObject({ status: 'queued', queuePosition: 1 })
    await tasks.interrupt(first.id, ALICE)
    expect(await tasks.wait(third.id, { timeoutMs: 20_000 })).toMatchObject({ status: 'completed' })
    expect(model.requests.map(lastUserText)).toEqual(['first', 'third'])
    await tasks.resume(second.id, {}, ALICE)
    expect(await taskThat(tasks, second.id, ({ status }) => status === 'completed')).toBeDefined()
    expect(lastUserText(model.requests.at(-1)!)).toBe('second')
    const told = (await allEvents(tasks, second.id)).filter(({ method }) => method === 'drawbridge/message')
    expect(told.map((event) => paramsOf(event).status).slice(0, 2)).toEqual(['queued', 'cancelled'])
  })
})
