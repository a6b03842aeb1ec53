// The log on real databases.
import { describe, expect, it } from 'vitest'
import { STORES, type TestStore } from '../../../test/support/stores.ts'
import { taskRow } from '../fixtures/sample-rows.ts'
import { eventPage } from '../rows/event-rows.ts'
import { taskRow as storedTask, updateTask } from '../rows/task-rows.ts'
import { EventLog, type Received } from './event-log.ts'

async function openedOn(store: TestStore) {
  const database = await store.open()
  await database.db
    .insertInto('tasks')
    .values([taskRow('a'), taskRow('b')])
    .execute()
  const broken: unknown[] = []
  const unpublished: unknown[] = []
  const whole = new Map<string, string>()
  const make = () =>
    new EventLog({
      db: database.db,
      reader: database.reader,
      now: () => 1_000,
      wholeFrames: {
        put: async ({ taskId, seq, frame }) => void whole.set(`${taskId} ${seq}`, frame),
        get: async (taskId, seq) => whole.get(`${taskId} ${seq}`) ?? null,
        forget: async () => {},
      },
      onStored: () => {},
      onEffectError: (error) => unpublished.push(error),
      onBroken: (error) => broken.push(error),
    })
  const log = make()
  await log.open('a')
  await log.open('b')
  const stored = async (taskId: string) =>
    (await eventPage(database.reader, taskId, { after: 0, limit: 100_000, maxBytes: 1e9 })).events
  return { log, make, database, broken, unpublished, whole, stored }
}

function heard(method: string, itemId: string | null = null, change: Partial<Received> = {}): Received {
  const isDelta = method.endsWith('delta')
  return { method, raw: JSON.stringify({ method, itemId }), turnId: 't', itemId, isDelta, ...change }
}

describe.each(STORES)('what is appended, on $name', ({ make }) => {
  const opened = async () => openedOn(await make())

  it('is on disk in order, with a sequence of its own for each task', async () => {
    const { log, stored, database } = await opened()
    for (const taskId of ['a', 'b', 'a', 'a']) log.append(taskId, heard('turn/started'))
    await log.flushed()
    expect((await stored('a')).map(({ seq }) => seq)).toEqual([1, 2, 3])
    expect((await stored('b')).map(({ seq }) => seq)).toEqual([1])
    expect((await storedTask(database.reader, 'a'))?.last_seq).toBe(3)
    expect((await stored('a'))[0]!.frame).toBe(heard('turn/started').raw)
  })

  it('is told to followers once it is stored', async () => {
    const { log, stored } = await opened()
    const following = log.followers.follow('a', { after: 0, signal: AbortSignal.timeout(5_000) })
    const next = following.next()
    const release = Promise.withResolvers<void>()
    void log.change(() => release.promise)
    log.append('a', heard('turn/started'))
    expect(await stored('a')).toEqual([])
    release.resolve()
    expect((await next).value).toMatchObject({ seq: 1, method: 'turn/started' })
    expect(await stored('a')).toHaveLength(1)
  })

  it('loses its deltas when the item has completed, stored ones and waiting ones', async () => {
    const { log, stored } = await opened()
    log.append('a', heard('x/delta', 'i1'))
    log.append('a', heard('x/delta', 'i2'))
    await log.flushed()
    expect(await stored('a')).toHaveLength(2)
    log.append('a', heard('x/delta', 'i1'))
    log.append('a', heard('item/completed', 'i1'))
    log.append('a', heard('x/delta', 'i2'))
    await log.flushed()
    expect((await stored('a')).map(({ seq, method }) => [seq, method])).toEqual([
      [2, 'x/delta'],
      [3, 'item/completed'],
      [4, 'x/delta'],
    ])
  })

  it('goes on where it was after a restart, deltas included', async () => {
    const { log, make, stored } = await opened()
    log.append('a', heard('x/delta', 'i1'))
    log.append('a', heard('x/delta', 'i1'))
    await log.flushed()
    const next = make()
    await next.open('a')
    next.append('a', heard('item/completed', 'i1'))
    await next.flushed()
    expect((await stored('a')).map(({ seq, method }) => [seq, method])).toEqual([[3, 'item/completed']])
  })

  it('beyond what can be kept costs the oldest deltas, and the log says so', async () => {
    const { log, stored } = await opened()
    const release = Promise.withResolvers<void>()
    const blocked = log.change(() => release.promise)
    log.append('a', heard('turn/started'))
    for (let index = 0; index < 50_001; index++) log.append('a', heard('x/delta', `i${index}`))
    expect(log.backlog).toBe(45_001)
    release.resolve()
    await blocked
    const events = await stored('a')
    expect(events[0]!.method).toBe('turn/started')
    expect(JSON.parse(events[1]!.frame)).toMatchObject({ itemId: 'i5001' })
    const [told] = events.filter(({ method }) => method === 'drawbridge/incident')
    expect(JSON.parse(told!.frame).params).toMatchObject({
      type: 'deltas-dropped',
      message: expect.stringContaining('5001 deltas were dropped'),
    })
  })

  it('of a task that is closed at any moment of a commit is stored, and the log goes on', async () => {
    const { database } = await opened()
    for (let moments = 0; moments < 60; moments++) {
      let isFirst = true
      const log = new EventLog({
        ...{ db: database.db, reader: database.reader, now: () => 1_000 },
        wholeFrames: { put: async () => {}, get: async () => null, forget: async () => {} },
        onStored: () => {
          if (isFirst) log.append('a', heard('turn/started'))
          isFirst = false
        },
        onEffectError: () => {},
        onBroken: () => {},
      })
      await log.open('a')
      await log.flushed()
      for (let moment = 0; moment < moments; moment++) await Promise.resolve()
      log.close('a')
      await log.flushed()
    }
    const { last_seq } = (await storedTask(database.reader, 'a'))!
    expect(last_seq).toBe(60)
  })

  it('of an item that completes takes its deltas along, whenever the task was opened beside a change', async () => {
    const { make, stored } = await opened()
    for (let moments = 0; moments < 40; moments++) {
      const before = make()
      await before.open('a')
      before.append('a', heard('x/delta', 'i1'))
      await before.flushed()
      const log = make()
      const started = Promise.withResolvers<void>()
      const told = log.change(async (change) => {
        started.resolve()
        change.emit('a', 'drawbridge/incident', { type: 't', message: 'm' })
      })
      await started.promise
      for (let moment = 0; moment < moments; moment++) await Promise.resolve()
      await Promise.all([told, log.open('a')])
      log.append('a', heard('item/completed', 'i1'))
      await log.flushed()
    }
    expect((await stored('a')).filter(({ method }) => method === 'x/delta')).toEqual([])
  })

  it('for a task that is not open is dropped', async () => {
    const { log, stored } = await opened()
    log.close('a')
    log.append('a', heard('turn/started'))
    await log.flushed()
    expect(await stored('a')).toEqual([])
  })

  it('too large is kept whole elsewhere', async () => {
    const { log, stored, whole } = await opened()
    const raw = JSON.stringify({ method: 'item/completed', text: 'x'.repeat(2_200_000) })
    log.append('a', heard('item/completed', 'i1', { raw }))
    await log.flushed()
    const [event] = await stored('a')
    expect(event).toMatchObject({ method: 'drawbridge/oversize', seq: 1 })
    expect(JSON.parse(event!.frame).params).toMatchObject({
      method: 'item/completed',
      bytes: raw.length,
      itemId: 'i1',
    })
    expect(whole.get('a 1')).toBe(raw)
  })
})

describe.each(STORES)('a change, on $name', ({ make }) => {
  const opened = async () => openedOn(await make())

  const say = { status: 's', waitingFor: null, reason: 'r', evidence: {} }

  it('is on disk with its events, after everything that came before it', async () => {
    const { log, stored, database } = await opened()
    log.append('a', heard('turn/started'))
    await log.change(async (change) => {
      await updateTask(change.db, 'a', { title: 'new' })
      change.emit('a', 'drawbridge/task', say)
    })
    expect((await storedTask(database.reader, 'a'))?.title).toBe('new')
    expect((await stored('a')).map(({ method }) => method)).toEqual(['turn/started', 'drawbridge/task'])
  })

  it('that throws undoes itself and its events, and nothing else of its group', async () => {
    const { log, stored, database, broken } = await opened()
    const good = log.change(({ db }) => updateTask(db, 'a', { title: 'good' }))
    const bad = log.change(async (change) => {
      await updateTask(change.db, 'a', { title: 'bad' })
      change.emit('a', 'drawbridge/task', say)
      throw new Error('never mind')
    })
    const later = log.change(async (change) => change.emit('b', 'drawbridge/task', say))
    await expect(bad).rejects.toThrow('never mind')
    await Promise.all([good, later])
    expect((await storedTask(database.reader, 'a'))?.title).toBe('good')
    expect([await stored('a'), (await stored('b')).length, broken]).toEqual([[], 1, []])
  })

  it('is made one after the other, in the order they were asked for', async () => {
    const { log, database } = await opened()
    const add = () =>
      log.change(async ({ db }) => {
        const row = await storedTask(db, 'a')
        await updateTask(db, 'a', { turn_count: row!.turn_count + 1 })
      })
    const before = (await storedTask(database.reader, 'a'))!.turn_count
    await Promise.all(Array.from({ length: 50 }, add))
    expect((await storedTask(database.reader, 'a'))!.turn_count).toBe(before + 50)
  })

  it('has its effects once it is committed, in order, and before its caller goes on', async () => {
    const { log, database } = await opened()
    const told: string[] = []
    await log.change(async (change) => {
      change.after(
        () => void storedTask(database.reader, 'a').then((row) => told.push(`on disk: ${row?.title}`)),
      )
      change.after(() => void told.push('first'))
      await updateTask(change.db, 'a', { title: `made at ${change.now}` })
      change.after(() => void told.push('second'))
      told.push('in the change')
    })
    expect(told).toEqual(['in the change', 'first', 'second'])
    await expect.poll(() => told.at(-1)).toBe('on disk: made at 1000')
  })

  it('that throws has no effects; one that throws in an effect stands', async () => {
    const { log, database, broken, unpublished } = await opened()
    const told: string[] = []
    const undone = log.change(async (change) => {
      change.after(() => void told.push('undone'))
      throw new Error('never mind')
    })
    await expect(undone).rejects.toThrow('never mind')
    const made = log.change(async (change) => {
      await updateTask(change.db, 'a', { title: 'made' })
      change.after(() => {
        throw new Error('an effect')
      })
      change.after(() => void told.push('made'))
      return 'value'
    })
    expect(await made).toBe('value')
    expect([told, broken]).toEqual([['made'], []])
    expect(unpublished).toMatchObject([{ message: 'an effect' }])
    expect((await storedTask(database.reader, 'a'))?.title).toBe('made')
  })

  it('stands when it is stored, even if those who follow cannot be told', async () => {
    const { log, broken, unpublished, stored } = await opened()
    log.followers.publish = () => {
      throw new Error('a bug')
    }
    await expect(
      log.change(async (change) => change.emit('a', 'drawbridge/task', say)),
    ).resolves.toBeUndefined()
    await log.flushed()
    expect(broken).toEqual([])
    expect(unpublished[0]).toMatchObject({ message: 'a bug' })
    expect(await stored('a')).toHaveLength(1)
  })

  it('that the store refuses is told to whoever asked, and that the store is gone', async () => {
    const { log, database, broken } = await opened()
    await database.close()
    await expect(log.change(async () => {})).rejects.toThrow()
    expect(broken).toHaveLength(1)
    await expect(log.change(async () => {})).rejects.toThrow()
  })
})
