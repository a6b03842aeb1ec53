// How many tasks work at once, in which order, and who does not count.
import { describe, expect, it } from 'vitest'
import { hasEnded, type Task } from '../../../src/tasks/index.ts'
import {
  lastUserText,
  type ModelRequest,
  message,
  type Reply,
  shell,
  toolOutputs,
} from '../../../src/testing/index.ts'
import { ALICE, allEvents, openTasks } from '../../support/open-tasks.ts'
import { paramsOf, questionOf, taskThat } from '../../support/task-facts.ts'

/** A model that answers when the test lets it. */
function gated() {
  const gates = new Map<string, PromiseWithResolvers<void>>()
  const gate = (name: string) => {
    const known = gates.get(name) ?? Promise.withResolvers<void>()
    gates.set(name, known)
    return known
  }
  const script = async (request: ModelRequest): Promise<Reply> => {
    await gate(lastUserText(request)).promise
    return message(`did ${lastUserText(request)}`)
  }
  return { script, release: (name: string) => gate(name).resolve() }
}

const isAtWork = ({ status }: Task) => status === 'starting' || status === 'working'

describe('with two places', () => {
  it('six tasks work two at a time, first come first served, and see where they stand', async () => {
    const { script, release } = gated()
    const { tasks, request, model } = await openTasks(script, { settings: { maxWorking: 2 } })
    const names = ['a', 'b', 'c', 'd', 'e', 'f']
    const started: Task[] = []
    for (const name of names) started.push(await tasks.start(request(name), ALICE))
    const all = () => Promise.all(started.map(({ id }) => tasks.get(id)))
    await model.waitForRequests(2)
    expect((await all()).map(({ queuePosition }) => queuePosition)).toEqual([null, null, 1, 2, 3, 4])
    for (const [index, name] of names.entries()) {
      expect((await all()).filter(isAtWork)).toHaveLength(Math.min(2, names.length - index))
      release(name)
      await tasks.wait(started[index]!.id, { timeoutMs: 20_000 })
      await model.waitForRequests(Math.min(index + 3, names.length))
      const now = await all()
      expect(now.filter(isAtWork).length).toBeLessThanOrEqual(2)
      const waiting = now.filter(({ status }) => status === 'queued')
      expect(waiting.map(({ queuePosition }) => queuePosition)).toEqual(waiting.map((_, place) => place + 1))
    }
    const order = model.requests.map(lastUserText)
    expect([...order.slice(0, 2).sort(), ...order.slice(2)]).toEqual(names) // the first two began together
    expect((await all()).every(({ status }) => hasEnded(status))).toBe(true)
  })

  it('never more than two were at work at the same time, whatever the order', async () => {
    const { tasks, request } = await openTasks((call) => message(lastUserText(call)), {
      settings: { maxWorking: 2 },
    })
    const started = await Promise.all(
      Array.from({ length: 6 }, (_, index) => tasks.start(request(`t${index}`), ALICE)),
    )
    for (const { id } of started) await tasks.wait(id, { timeoutMs: 20_000 })
    const changes = (await Promise.all(started.map(({ id }) => allEvents(tasks, id))))
      .flat()
      .filter(({ method }) => method === 'drawbridge/task')
      .map((event) => ({ at: event.at, status: paramsOf(event).status as string }))
      .filter(({ status }) => status === 'starting' || status === 'completed')
      .sort((a, b) => a.at - b.at || (a.status === 'completed' ? -1 : 1))
    let atWork = 0
    const most = Math.max(...changes.map(({ status }) => (atWork += status === 'starting' ? 1 : -1)))
    expect([most, atWork, changes.length]).toEqual([2, 0, 12])
  })
})

describe('with one place', () => {
  const asks = (call: ModelRequest): Reply => {
    if (lastUserText(call) !== 'asks') return message(`did ${lastUserText(call)}`)
    return toolOutputs(call).length > 0 ? message('asked') : shell('touch made', { escalate: 'please' })
  }

  it('a task that waits for a person leaves it to the next', async () => {
    const { tasks, request } = await openTasks(asks, { settings: { maxWorking: 1 } })
    const waiting = await tasks.start(request('asks'), ALICE)
    const question = await questionOf(tasks, waiting.id)
    const other = await tasks.start(request('other'), ALICE)
    expect(await tasks.wait(other.id, { timeoutMs: 20_000 })).toMatchObject({ status: 'completed' })
    await tasks.decide(question.id, { answer: 'once' }, ALICE)
    expect(await taskThat(tasks, waiting.id, ({ status }) => status === 'completed')).toBeDefined()
  })

  it('and still does after a restart of the service', async () => {
    const { tasks, request, close, open } = await openTasks(asks, { settings: { maxWorking: 1 } })
    const waiting = await tasks.start(request('asks'), ALICE)
    const question = await questionOf(tasks, waiting.id)
    await close()
    const again = await open()
    const other = await again.tasks.start(request('other'), ALICE)
    expect(await again.tasks.wait(other.id, { timeoutMs: 20_000 })).toMatchObject({ status: 'completed' })
    await again.tasks.decide(question.id, { answer: 'deny' }, ALICE)
    expect(await again.tasks.wait(waiting.id, { timeoutMs: 20_000, through: true })).toMatchObject({
      status: 'completed',
    })
  })
})
