import { describe, expect, it, onTestFinished } from 'vitest'
import { RequestTimeoutError, RpcError, TransportClosedError } from '../../codex/index.ts'
import { messageRow, taskRow } from '../../store/fixtures/sample-rows.ts'
import { makeScratchStore } from '../../store/fixtures/scratch-store.ts'
import { EventLog, messageRows, taskRow as storedTask } from '../../store/index.ts'
import { requeueUnbegun } from './unbegun.ts'

async function opened() {
  const store = await makeScratchStore()
  onTestFinished(() => store.remove())
  const { db, reader } = await store.open()
  await db
    .insertInto('tasks')
    .values([{ ...taskRow('a'), status: 'starting' }])
    .execute()
  await db
    .insertInto('messages')
    .values([{ ...messageRow('m', 'a'), status: 'sending' }])
    .execute()
  const nothing = () => {}
  const wholeFrames = { put: async () => {}, get: async () => null, forget: async () => {} }
  const log = new EventLog({
    ...{ db, reader, wholeFrames, now: () => 5_000 },
    ...{ onStored: nothing, onEffectError: nothing, onBroken: nothing },
  })
  const taken = { row: (await storedTask(db, 'a'))!, message: (await messageRows(db, 'a', ['sending']))[0]! }
  const requeue = (error: unknown, starts = 1) => requeueUnbegun(taken, { error, starts }, { log })
  return {
    requeue,
    task: () => storedTask(reader, 'a'),
    messages: () => messageRows(reader, 'a', ['queued']),
  }
}

describe('a start that codex did not answer', () => {
  it.each([
    ['thread/start', new RequestTimeoutError('thread/start', 15_000)],
    ['thread/resume', new RequestTimeoutError('thread/resume', 30_000)],
    [
      'a full queue',
      new RpcError('turn/start', { code: -32001, message: 'Server overloaded; retry later.' }),
    ],
    ['an unloaded thread', new RpcError('turn/start', { code: -32600, message: 'thread not found: t' })],
  ])('puts the task and its message back: %s', async (_, error) => {
    const { requeue, task, messages } = await opened()
    expect(await requeue(error)).toBe(1_000)
    expect(await task()).toMatchObject({
      status: 'queued',
      reason: `${error.message}. It has not begun and is tried again (2 of 4)`,
    })
    expect(JSON.parse((await task())!.evidence)).toMatchObject({ starts: 1, error: error.message })
    expect(await messages()).toHaveLength(1)
  })

  it('waits longer each time, and is given up after four', async () => {
    const { requeue, task } = await opened()
    const waits: (number | null)[] = []
    for (const starts of [1, 2, 3, 4])
      waits.push(await requeue(new RequestTimeoutError('thread/start', 1), starts))
    expect(waits).toEqual([1_000, 5_000, 15_000, null])
    expect((await task())!.reason).toContain('(4 of 4)')
  })

  it.each([
    ['turn/start without a reply may have begun', new RequestTimeoutError('turn/start', 10_000)],
    ['a refusal stays one', new RpcError('thread/start', { code: -32600, message: 'no such model' })],
    ['a dead process is looked at', new TransportClosedError('gone')],
    ['a bug is a bug', new Error('oops')],
  ])('is nothing else: %s', async (_, error) => {
    const { requeue, task } = await opened()
    expect(await requeue(error)).toBeNull()
    expect((await task())!.status).toBe('starting')
  })
})
