// The connection to codex breaks while codex lives on.
import { existsSync } from 'node:fs'
import path from 'node:path'
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
import { cuttablePool } from '../../support/cuttable-pool.ts'
import { ALICE, allEvents, openTasks } from '../../support/open-tasks.ts'
import { eventThat, isStreaming, paramsOf, questionOf, taskThat } from '../../support/task-facts.ts'

/** Ids of items that are in the log as completed, in order. */
async function completed(tasks: Parameters<typeof allEvents>[0], id: string): Promise<string[]> {
  const events = await allEvents(tasks, id)
  return events.filter(({ method }) => method === 'item/completed').map((event) => paramsOf(event).item.id)
}

/** All that the user has said, as the model is told. */
function userTexts({ body }: ModelRequest): string[] {
  const said = body.input.filter(({ role }) => role === 'user')
  return said.map(({ content }) => (content as { text: string }[]).map(({ text }) => text).join(''))
}

/** What the log says of a message, in order. */
async function statusesOf(
  tasks: Parameters<typeof allEvents>[0],
  id: string,
  messageId: string,
): Promise<string[]> {
  const events = (await allEvents(tasks, id)).filter(({ method }) => method === 'drawbridge/message')
  return events.map(paramsOf).flatMap((params) => (params.messageId === messageId ? [params.status] : []))
}

describe('a connection that breaks', () => {
  it('while the model streams leaves the turn running, and its answer arrives', async () => {
    const gate = Promise.withResolvers<void>()
    const { wrapPool, cut } = cuttablePool()
    const { tasks, request, pool } = await openTasks(
      async (call) => {
        if (toolOutputs(call).length === 0) return [message('first I look'), shell('echo looked')]
        await gate.promise
        return message('the whole answer')
      },
      { wrapPool },
    )
    const { id } = await tasks.start(request('go'), ALICE)
    await eventThat(tasks, id, ({ frame }) => /item\/completed.*commandExecution/.test(frame))
    const before = await tasks.get(id)
    expect(cut()).toBe(1)
    gate.resolve()
    const task = await tasks.wait(id, { timeoutMs: 30_000 })
    expect(task).toMatchObject({ status: 'completed', result: { text: 'the whole answer' }, turnCount: 1 })
    expect(task.threadId).toBe(before.threadId)
    expect(pool.list()).toHaveLength(1)
    const items = await completed(tasks, id)
    expect(new Set(items).size).toBe(items.length)
    const texts = (await allEvents(tasks, id)).filter(({ frame }) =>
      /item\/completed.*agentMessage/.test(frame),
    )
    expect(texts.map((event) => paramsOf(event).item.text)).toEqual(['first I look', 'the whole answer'])
  })

  it('while a question is open leaves the same question, and its answer arrives', async () => {
    const { wrapPool, cut } = cuttablePool()
    const { tasks, request, cwd } = await openTasks(
      (call) =>
        toolOutputs(call).length > 0 ? message('fine') : shell('touch made', { escalate: 'please' }),
      { wrapPool },
    )
    const { id } = await tasks.start(request('go'), ALICE)
    const question = await questionOf(tasks, id)
    cut()
    // Answered while nobody is connected, or just again: either way it must get there.
    await tasks.decide(question.id, { answer: 'once' }, ALICE)
    expect(await taskThat(tasks, id, ({ status }) => status === 'completed')).toMatchObject({
      result: { text: 'fine' },
    })
    expect(existsSync(path.join(cwd, 'made'))).toBe(true)
    const { items } = await tasks.approvals({ taskId: id })
    expect(items).toMatchObject([{ id: question.id, status: 'answered', answer: 'once' }])
    expect((await tasks.audit({ taskId: id })).items).toHaveLength(1)
  })

  it('now and then, ever again, does not cost the turn, and it can be steered afterwards', async () => {
    const { wrapPool, cut, looks } = cuttablePool()
    let laterMs = 0
    const now = () => Date.now() + laterMs
    const { tasks, request } = await openTasks(
      (call) => (lastUserText(call) === 'left' ? message('went left') : [message('half'), hang()]),
      { wrapPool, now },
    )
    const { id } = await tasks.start(request('go'), ALICE)
    await eventThat(tasks, id, isStreaming)
    for (let times = 1; times <= 12; times++) {
      const before = looks()
      laterMs += 60_000
      cut()
      await eventually(() => looks() >= before + 2, 'the turn was found again')
      const sent = await tasks.send(id, { input: `still there ${times}?`, mode: 'steer' }, ALICE)
      expect(sent.status).toBe('delivered')
    }
    const steered = await tasks.send(id, { input: 'left', mode: 'steer' }, ALICE)
    expect(steered.status).toBe('delivered')
    expect(await tasks.wait(id, { timeoutMs: 30_000 })).toMatchObject({
      status: 'completed',
      result: { text: 'went left' },
      turnCount: 1,
    })
  })

  it('while a steer is on its way leaves it in the turn, once, when codex has it', async () => {
    const { tasks, id, sent, heard, gate } = await steerAndCut('reply')
    gate.resolve()
    expect(await tasks.wait(id, { timeoutMs: 30_000 })).toMatchObject({
      status: 'completed',
      result: { text: 'went left' },
      turnCount: 1,
    })
    expect(heard.at(-1)!.filter((text) => text === 'left')).toHaveLength(1)
    expect(await statusesOf(tasks, id, sent.id)).toEqual(['queued', 'delivered'])
  })

  it('before a steer is sent makes it the next turn', async () => {
    const { tasks, id, sent, gate } = await steerAndCut('request')
    gate.resolve()
    expect(
      await taskThat(tasks, id, ({ turnCount, status }) => turnCount === 2 && status === 'completed'),
    ).toMatchObject({ result: { text: 'went left' } })
    expect(await statusesOf(tasks, id, sent.id)).toEqual(['queued', 'queued', 'delivered'])
  })

  it('between two turns is not noticed by the next', async () => {
    const { wrapPool, cut } = cuttablePool()
    const { tasks, request } = await openTasks((call) => message(`echo ${lastUserText(call)}`), { wrapPool })
    const { id } = await tasks.start(request('one'), ALICE)
    await tasks.wait(id, { timeoutMs: 20_000 })
    cut()
    await tasks.send(id, { input: 'two', mode: 'queue' }, ALICE)
    const task = await taskThat(
      tasks,
      id,
      ({ status, turnCount }) => status === 'completed' && turnCount === 2,
    )
    expect(task.result).toMatchObject({ text: 'echo two' })
  })
})

it('a steer that codex says yes to while its turn is interrupted is what a resume begins with', async () => {
  const { wrapPool, holdReply } = cuttablePool()
  const { tasks, request, model } = await openTasks(
    (call) => (lastUserText(call) === 'go' ? shell('sleep 30') : message(`echo ${lastUserText(call)}`)),
    { wrapPool },
  )
  const { id } = await tasks.start(request('go'), ALICE)
  await eventThat(tasks, id, ({ frame }) => /item\/started.*commandExecution/.test(frame))
  const held = holdReply('turn/steer')
  const sending = tasks.send(id, { input: 'left', mode: 'steer' }, ALICE)
  const letThrough = await held
  await tasks.interrupt(id, ALICE)
  letThrough()
  const sent = await sending
  expect(sent.status).toBe('cancelled')
  expect(await statusesOf(tasks, id, sent.id)).toEqual(['cancelled'])
  await tasks.resume(id, {}, ALICE)
  const task = await taskThat(tasks, id, ({ status }) => status === 'completed')
  expect(task).toMatchObject({ result: { text: 'echo left' }, turnCount: 2 })
  expect(model.requests.map(lastUserText)).toEqual(['go', 'left'])
})

/** A steer whose connection is cut on the way there, or on the way back; the turn ends when the gate opens. */
async function steerAndCut(when: 'request' | 'reply') {
  const gate = Promise.withResolvers<void>()
  const heard: string[][] = []
  const { wrapPool, cutAt } = cuttablePool()
  const { tasks, request } = await openTasks(
    async (call) => {
      heard.push(userTexts(call))
      if (userTexts(call).includes('left')) return message('went left')
      await gate.promise
      return message('straight on')
    },
    { wrapPool },
  )
  const { id } = await tasks.start(request('go'), ALICE)
  await eventThat(tasks, id, ({ frame }) => /item\/completed.*userMessage/.test(frame))
  cutAt('turn/steer', when)
  const sent = await tasks.send(id, { input: 'left', mode: 'steer' }, ALICE)
  expect(sent.status).toBe('queued')
  return { tasks, id, sent, heard, gate }
}
