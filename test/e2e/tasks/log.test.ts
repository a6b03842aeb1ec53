// The log: what codex said, once and in order, for whoever follows and from wherever.
import { describe, expect, it } from 'vitest'
import type { DurableTasks, TaskEvent } from '../../../src/tasks/index.ts'
import { lastUserText, message, shell, toolOutputs } from '../../../src/testing/index.ts'
import { ALICE, allEvents, openTasks } from '../../support/open-tasks.ts'
import { eventThat, isStreaming, paramsOf, runTask } from '../../support/task-facts.ts'

function isEnd({ method, frame }: TaskEvent): boolean {
  return method === 'drawbridge/task' && /"status":"(completed|failed)"/.test(frame)
}

/** Everything from there on until the task has ended. */
async function followed(tasks: DurableTasks, id: string, after: number): Promise<TaskEvent[]> {
  const events: TaskEvent[] = []
  const signal = AbortSignal.timeout(30_000)
  for await (const event of tasks.follow(id, { after, signal })) {
    events.push(event)
    if (isEnd(event)) return events
  }
  throw new Error(`the task did not end: ${events.at(-1)?.frame}`)
}

const seqs = (events: readonly TaskEvent[]) => events.map(({ seq }) => seq)
const isGrowing = (numbers: readonly number[]) =>
  numbers.every((n, index) => index === 0 || n > numbers[index - 1]!)

describe('following a task', () => {
  it('from the start or the middle, while it works, has no gap and no double', async () => {
    const { tasks, request } = await openTasks((call) =>
      toolOutputs(call).length === 0
        ? [message('thinking ', { count: 20, delayMs: 5 }), shell('echo hello')]
        : message('done ', { count: 100, delayMs: 3 }),
    )
    const { id } = await tasks.start(request('go'), ALICE)
    const whole = followed(tasks, id, 0)
    const middle = await eventThat(tasks, id, isStreaming)
    const rest = followed(tasks, id, middle.seq)
    const [all, later] = await Promise.all([whole, rest])
    expect(isGrowing(seqs(all))).toBe(true)
    expect(isGrowing(seqs(later))).toBe(true)
    expect(later[0]!.seq).toBeGreaterThan(middle.seq)
    // Deltas may be gone by the time somebody else reads; everything else is the same for all.
    const stored = await allEvents(tasks, id)
    const live = new Map(all.map((event) => [event.seq, event]))
    for (const event of stored) expect(live.get(event.seq)).toEqual(event)
    expect(seqs(later.filter(({ method }) => !method.endsWith('elta')))).toEqual(
      seqs(stored).filter((seq) => seq > middle.seq),
    )
    expect(await followed(tasks, id, 0)).toEqual(stored)
  })

  it('that is over before it begins ends at once, and knows no task that is not there', async () => {
    const { tasks, request } = await openTasks(() => message('ok'))
    const { id } = await runTask(tasks, request('go'))
    const over = tasks.follow(id, { after: 0, signal: AbortSignal.abort() })
    for await (const event of over) expect(event).toBeUndefined()
    const none = tasks.follow('no-such', { after: 0, signal: AbortSignal.timeout(5_000) })
    await expect(none.next()).rejects.toMatchObject({ code: 'task-not-found' })
  })

  it('slowly, while 20,000 deltas come, gets everything that counts in order once it reads', async () => {
    const { tasks, request } = await openTasks(() => message('tick ', { count: 20_000 }))
    const { id } = await tasks.start(request('go'), ALICE)
    const slow = tasks.follow(id, { after: 0, signal: AbortSignal.timeout(30_000) })
    const first = (await slow.next()).value as TaskEvent
    expect((await tasks.wait(id, { timeoutMs: 30_000 })).result!.text).toBe('tick '.repeat(20_000))
    const rest: TaskEvent[] = [first]
    for await (const event of slow) {
      rest.push(event)
      if (isEnd(event)) break
    }
    expect(isGrowing(seqs(rest))).toBe(true)
    const stored = await allEvents(tasks, id)
    expect(seqs(stored).filter((seq) => !seqs(rest).includes(seq))).toEqual([])
    expect(stored.filter(({ method }) => method === 'item/agentMessage/delta')).toEqual([])
  })

  it('all tasks tells our own events of each, live', async () => {
    const { tasks, request } = await openTasks(() => message('ok'))
    const done = new AbortController()
    const heard: TaskEvent[] = []
    const following = (async () => {
      for await (const event of tasks.followAll({ signal: done.signal })) heard.push(event)
    })()
    const first = await runTask(tasks, request('one'))
    const second = await runTask(tasks, request('two'))
    done.abort()
    await following
    expect(new Set(heard.map(({ taskId }) => taskId))).toEqual(new Set([first.id, second.id]))
    expect(heard.every(({ method }) => method.startsWith('drawbridge/'))).toBe(true)
  })
})

describe('what is stored', () => {
  it('is what codex wrote, without the deltas of what has completed', async () => {
    const { tasks, request } = await openTasks(() => message('a long answer', { chunkSize: 3, delayMs: 30 }))
    const { id } = await tasks.start(request('go'), ALICE)
    await eventThat(tasks, id, ({ method }) => method === 'item/agentMessage/delta')
    await tasks.wait(id, { timeoutMs: 20_000 })
    const events = await allEvents(tasks, id)
    expect(events.filter(({ method }) => method.endsWith('elta'))).toEqual([])
    const completed = events.find(
      ({ method, frame }) => method === 'item/completed' && frame.includes('agentMessage'),
    )!
    expect(paramsOf(completed).item).toMatchObject({ type: 'agentMessage', text: 'a long answer' })
    expect((await tasks.get(id)).lastSeq).toBe(events.at(-1)!.seq)
  })

  it('has no secret of the model’s answer or of a command’s output, in any file', async () => {
    const secret = 'sk-proj-Zx81kQ0vN5tYpLw3mB7rDfGhJ2cVbXs94TuEaRiO'
    const { tasks, request, isStored, close } = await openTasks((call) =>
      toolOutputs(call).length === 0 ? shell(`echo ${secret}`) : message(`it is ${secret}`, { chunkSize: 5 }),
    )
    const task = await runTask(tasks, request('go'))
    expect(task.result!.text).toMatch(/^it is sk-/)
    expect(JSON.stringify(task)).not.toContain(secret)
    await close()
    expect(await isStored(`it is ${secret.slice(0, 3)}`)).toBe(true)
    expect(await isStored(secret)).toBe(false)
  })

  it('of a frame too large is its head, and the whole of it can be had', async () => {
    const text = `start ${'0123456789'.repeat(310_000)} end`
    const { tasks, request } = await openTasks(() => message(text, { chunkSize: 100_000 }))
    const { id } = await runTask(tasks, request('go'))
    const events = await allEvents(tasks, id)
    expect(Math.max(...events.map(({ frame }) => frame.length))).toBeLessThan(2.2 * 1024 * 1024)
    const large = events.filter(({ method }) => method === 'drawbridge/oversize')
    const item = large.find((event) => paramsOf(event).method === 'item/completed')!
    expect(paramsOf(item)).toMatchObject({
      bytes: expect.any(Number),
      head: expect.stringContaining('start 0123'),
      pointer: `/v1/tasks/${id}/events/${item.seq}`,
      itemId: expect.any(String),
    })
    const whole = JSON.parse(await tasks.wholeEvent(id, item.seq))
    expect(whole).toMatchObject({ method: 'item/completed', params: { item: { text } } })
    expect(Buffer.byteLength(await tasks.wholeEvent(id, item.seq))).toBe(paramsOf(item).bytes)
    expect(await tasks.wholeEvent(id, events[0]!.seq)).toBe(events[0]!.frame)
    await expect(tasks.wholeEvent(id, 999_999)).rejects.toMatchObject({ code: 'event-not-found' })
  })
})

describe('a page of the log', () => {
  it('goes forwards and backwards, bounded by count and bytes, each event exactly once', async () => {
    const { tasks, request } = await openTasks((call) => message(`${lastUserText(call)} `.repeat(50)))
    const { id } = await runTask(tasks, request('go'))
    const stored = await allEvents(tasks, id)
    for (const bounds of [{ limit: 3 }, { maxBytes: 1_500 }, { limit: 4, maxBytes: 1 }]) {
      const forwards: TaskEvent[] = []
      for (let hasMore = true; hasMore; ) {
        const page = await tasks.events(id, { after: forwards.at(-1)?.seq ?? 0, ...bounds })
        const bytes = page.events.reduce((sum, { frame }) => sum + frame.length, 0)
        expect(page.events.length === 1 || bytes <= (bounds.maxBytes ?? Number.POSITIVE_INFINITY)).toBe(true)
        expect(page.events.length).toBeLessThanOrEqual(bounds.limit ?? 500)
        forwards.push(...page.events)
        hasMore = page.hasMore
      }
      const backwards: TaskEvent[] = []
      for (let hasMore = true; hasMore; ) {
        const page = await tasks.events(id, {
          before: backwards[0]?.seq ?? Number.MAX_SAFE_INTEGER,
          ...bounds,
        })
        backwards.unshift(...page.events)
        hasMore = page.hasMore
      }
      expect(forwards).toEqual(stored)
      expect(backwards).toEqual(stored)
    }
  })
})
