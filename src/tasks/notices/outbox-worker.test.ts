import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openDatabase, retryNotice } from '../../store/index.ts'
import { ManualClock } from './fixtures/manual-clock.ts'
import { type Answer, startReceiver } from './fixtures/receiver.ts'
import { NOW, noticeTo, settings } from './fixtures/tasks.ts'
import {
  findNotice,
  type NewNotice,
  NoticeSender,
  type NoticeSettings,
  noticePage,
  type Outbox,
  OutboxWorker,
  type OutboxWorkerOptions,
  putNotices,
  RETRIES,
  storedOutbox,
} from './index.ts'

const finished = onTestFinished
const retries = { ...RETRIES, random: () => 1 }

async function openOutbox() {
  const folder = mkdtempSync(path.join(tmpdir(), 'outbox-'))
  const { db, close } = await openDatabase({ file: path.join(folder, 'test.db'), now: () => NOW })
  finished(async () => {
    await close()
    rmSync(folder, { recursive: true, force: true })
  })
  return { db, outbox: storedOutbox(db), clock: new ManualClock(NOW) }
}

type Opened = Awaited<ReturnType<typeof openOutbox>>

function startWorker(
  { outbox, clock }: Pick<Opened, 'outbox' | 'clock'>,
  { known = {}, ...options }: Partial<OutboxWorkerOptions> & { known?: Partial<NoticeSettings> } = {},
): OutboxWorker {
  const sender = new NoticeSender(settings({ now: () => clock.now(), ...known }))
  return new OutboxWorker({ outbox, sender, clock, retries, ...options })
}

async function put({ db }: Opened, ...notices: readonly NewNotice[]): Promise<void> {
  await db.transaction().execute((trx) => putNotices(trx, notices))
}

/** Lets time pass until nothing waits any more; returns when the worker woke by itself. */
async function runOut(worker: OutboxWorker, clock: ManualClock): Promise<readonly number[]> {
  const wakes: number[] = []
  worker.wake()
  await worker.drain()
  while (clock.nextAt !== null) {
    wakes.push(clock.nextAt)
    clock.passTo(clock.nextAt)
    await worker.drain()
  }
  return wakes
}

const receive = (answer: Answer) => startReceiver(answer, { finished })

describe('OutboxWorker', () => {
  it('sends what waits, once, and marks it', async () => {
    const opened = await openOutbox()
    const receiver = await receive(() => ({}))
    const notice = noticeTo(`webhook:${receiver.url}/`)
    await put(opened, notice)
    const worker = startWorker(opened)
    expect(await runOut(worker, opened.clock)).toEqual([])
    worker.wake()
    await worker.drain()
    expect(receiver.received).toHaveLength(1)
    expect(await findNotice(opened.db, notice.id)).toMatchObject({ status: 'sent', attempts: 1, sentAt: NOW })
  })

  it('leaves alone what has no target', async () => {
    const opened = await openOutbox()
    await put(opened, { ...noticeTo('local'), target: '', status: 'no_target' })
    expect(await runOut(startWorker(opened), opened.clock)).toEqual([])
    const { items } = await noticePage(opened.db, {})
    expect(items).toMatchObject([{ status: 'no_target', target: '', attempts: 0, nextAttemptAt: null }])
  })

  it('sends again under the same key when it died between sending and marking', async () => {
    const opened = await openOutbox()
    const receiver = await receive(() => ({}))
    const notice = noticeTo(`webhook:${receiver.url}/`)
    await put(opened, notice)
    const dying: Outbox = { ...opened.outbox, sent: () => Promise.reject(new Error('killed')) }
    const errors: unknown[] = []
    const first = startWorker({ ...opened, outbox: dying }, { onError: (error) => errors.push(error) })
    first.wake()
    await first.drain()
    expect(errors).toHaveLength(1)
    await first.stop({ deadlineMs: 0 })

    const second = startWorker(opened)
    second.wake()
    await second.drain()
    const keys = receiver.received.map(({ headers }) => headers['idempotency-key'])
    expect(keys).toEqual([notice.id, notice.id])
    expect(await findNotice(opened.db, notice.id)).toMatchObject({ status: 'sent' })
  })

  it('does not send in a loop when what was sent cannot be marked', async () => {
    const opened = await openOutbox()
    const receiver = await receive(() => ({}))
    await put(opened, noticeTo(`webhook:${receiver.url}/`))
    let failures = 2
    const outbox: Outbox = {
      ...opened.outbox,
      sent: (id, at) =>
        failures-- > 0 ? Promise.reject(new Error('disk full')) : opened.outbox.sent(id, at),
    }
    const wakes = await runOut(startWorker({ ...opened, outbox }), opened.clock)
    expect(wakes).toEqual([NOW + 30_000, NOW + 60_000])
    expect(receiver.received).toHaveLength(3)
  })

  it('goes on when the outbox cannot be read for a while', async () => {
    const opened = await openOutbox()
    const receiver = await receive(() => ({}))
    await put(opened, noticeTo(`webhook:${receiver.url}/`))
    let failures = 1
    const outbox: Outbox = {
      ...opened.outbox,
      due: (now, options) =>
        failures-- > 0 ? Promise.reject(new Error('locked')) : opened.outbox.due(now, options),
    }
    const wakes = await runOut(startWorker({ ...opened, outbox }), opened.clock)
    expect(wakes).toEqual([NOW + 30_000])
    expect(receiver.received).toHaveLength(1)
  })

  it('waits longer each time, gives up after about a day, and can be asked to try again', async () => {
    const opened = await openOutbox()
    let status = 500
    const receiver = await receive(() => ({ status }))
    const notice = noticeTo(`webhook:${receiver.url}/`)
    await put(opened, notice)
    const worker = startWorker(opened)
    const wakes = await runOut(worker, opened.clock)
    const waits = [NOW, ...wakes].map((at, index) => (wakes[index] ?? at) - at).slice(0, -1)
    expect(waits).toEqual(Array.from({ length: 11 }, (_, index) => Math.min(60_000 * 2 ** index, 43_200_000)))
    expect(receiver.received).toHaveLength(12)
    expect(await findNotice(opened.db, notice.id)).toMatchObject({
      status: 'dead',
      attempts: 12,
      lastError: 'HTTP 500',
      nextAttemptAt: null,
    })

    status = 200
    expect(await retryNotice(opened.db, notice.id, opened.clock.now())).toBe(true)
    worker.wake()
    await worker.drain()
    expect(await findNotice(opened.db, notice.id)).toMatchObject({
      status: 'sent',
      attempts: 1,
      lastError: null,
    })
  })

  it('gives up at once on what is refused for good', async () => {
    const opened = await openOutbox()
    const receiver = await receive(() => ({ status: 410, body: 'gone' }))
    const notices = [
      noticeTo(`webhook:${receiver.url}/`),
      noticeTo('nobody'),
      noticeTo('webhook:https://10.0.0.1/'),
    ]
    await put(opened, ...notices)
    expect(await runOut(startWorker(opened), opened.clock)).toEqual([])
    const { items } = await noticePage(opened.db, { status: 'dead' })
    expect(items.map(({ attempts }) => attempts)).toEqual([1, 1, 1])
    expect(receiver.received).toHaveLength(1)
  })

  it('leaves a receiver alone as long as it asks, with all that waits for it, and only it', async () => {
    const opened = await openOutbox()
    const slow = await receive((_, count) =>
      count === 1 ? { status: 429, headers: { 'Retry-After': '20' } } : {},
    )
    const quick = await receive(() => ({}))
    const limited = [1, 2, 3].map(() => noticeTo(`webhook:${slow.url}/`))
    await put(opened, ...limited, noticeTo(`webhook:${quick.url}/`))
    const worker = startWorker(opened)
    worker.wake()
    await worker.drain()
    expect([slow.received.length, quick.received.length]).toEqual([1, 1])
    const wakes = await runOut(worker, opened.clock)
    expect(wakes).toEqual([NOW + 20_000])
    expect(slow.received).toHaveLength(4)
    const attempts = await Promise.all(
      limited.map(async ({ id }) => (await findNotice(opened.db, id))?.attempts),
    )
    expect(attempts.toSorted()).toEqual([1, 1, 2])
  })

  it('slows down by itself when a receiver asks for time again and again', async () => {
    const opened = await openOutbox()
    const receiver = await receive(() => ({ status: 429, headers: { 'Retry-After': '0' } }))
    await put(opened, noticeTo(`webhook:${receiver.url}/`))
    const wakes = await runOut(startWorker(opened), opened.clock)
    expect(wakes.slice(0, 4).map((at) => at - NOW)).toEqual([1_000, 2_000, 3_000, 483_000])
    expect(receiver.received).toHaveLength(12)
  })

  it('speaks to several targets of a machine at once, to few of them, and to each one at a time', async () => {
    const opened = await openOutbox()
    const most = { here: 0, atOne: 0 }
    const at: string[] = []
    const full = Promise.withResolvers<void>()
    const receiver = await receive(async ({ path: target }) => {
      at.push(target)
      most.here = Math.max(most.here, at.length)
      most.atOne = Math.max(most.atOne, at.filter((other) => other === target).length)
      if (at.length === 3) full.resolve()
      await full.promise
      at.splice(at.indexOf(target), 1)
      return {}
    })
    const notices = [1, 2, 3, 4, 5].flatMap((n) => [1, 2].map(() => noticeTo(`webhook:${receiver.url}/${n}`)))
    await put(opened, ...notices)
    await runOut(startWorker(opened), opened.clock)
    expect(receiver.received).toHaveLength(10)
    expect(most).toEqual({ here: 3, atOne: 1 })
  })

  it('does not let a target that hangs hold up the others of its machine', async () => {
    const opened = await openOutbox()
    const receiver = await receive(({ path: target }) => (target === '/slow' ? 'hang' : {}))
    const slow = noticeTo(`webhook:${receiver.url}/slow`)
    const quick = [1, 2].map((n) => noticeTo(`webhook:${receiver.url}/${n}`))
    await put(opened, slow, noticeTo(slow.target), ...quick)
    const sent: string[] = []
    const all = Promise.withResolvers<void>()
    const worker = startWorker(opened, {
      onResult: ({ id }) => {
        sent.push(id)
        if (sent.length === quick.length) all.resolve()
      },
    })
    worker.wake()
    await all.promise
    expect(sent.toSorted()).toEqual(quick.map(({ id }) => id).toSorted())
    const stopped = worker.stop({ deadlineMs: 0 })
    opened.clock.passTo(NOW)
    await stopped
  })

  it('speaks to several machines at once', async () => {
    const opened = await openOutbox()
    let there = 0
    const allThere = Promise.withResolvers<void>()
    const receivers = await Promise.all(
      [1, 2, 3].map(() =>
        receive(async () => {
          if (++there === 3) allThere.resolve()
          await allThere.promise
          return {}
        }),
      ),
    )
    await put(opened, ...receivers.flatMap(({ url }) => [1, 2].map(() => noticeTo(`webhook:${url}/`))))
    await runOut(startWorker(opened), opened.clock)
    expect(receivers.map(({ received }) => received.length)).toEqual([2, 2, 2])
  })

  it('keeps to its number of sends at once', async () => {
    const opened = await openOutbox()
    const hosts = await Promise.all([1, 2, 3, 4].map(() => receive(() => ({}))))
    await put(opened, ...hosts.map(({ url }) => noticeTo(`webhook:${url}/`)))
    await runOut(startWorker(opened, { parallel: 2 }), opened.clock)
    expect(hosts.map(({ received }) => received.length)).toEqual([1, 1, 1, 1])
  })

  it('does not let one that hangs hold up the others', async () => {
    const opened = await openOutbox()
    const hanging = await receive(() => 'hang')
    const quick = await receive(() => ({}))
    const stuck = Array.from({ length: 120 }, () => noticeTo(`webhook:${hanging.url}/`))
    await put(opened, ...stuck, noticeTo(`webhook:${quick.url}/`))
    const worker = startWorker(opened)
    const reached = Promise.all([hanging.next(), quick.next()])
    worker.wake()
    await reached
    const stopped = worker.stop({ deadlineMs: 0 })
    opened.clock.passTo(NOW)
    await stopped
  })

  it('waits for what is under way when it stops, and sends nothing after', async () => {
    const opened = await openOutbox()
    const gate = Promise.withResolvers<void>()
    const receiver = await receive(async () => {
      await gate.promise
      return {}
    })
    const notices = [noticeTo(`webhook:${receiver.url}/`), noticeTo(`webhook:${receiver.url}/`)]
    await put(opened, ...notices)
    const worker = startWorker(opened)
    const arrived = receiver.next()
    worker.wake()
    await arrived
    const stopped = worker.stop({ deadlineMs: 5_000 })
    gate.resolve()
    await stopped
    worker.wake()
    await worker.drain()
    const { items } = await noticePage(opened.db, {})
    expect(items.map(({ status }) => status).toSorted()).toEqual(['pending', 'sent'])
    expect(opened.clock.nextAt).toBeNull()
  })

  it('cuts off what takes too long when it stops, and leaves it to be sent again', async () => {
    const opened = await openOutbox()
    const receiver = await receive(() => 'hang')
    const notice = noticeTo(`webhook:${receiver.url}/`)
    await put(opened, notice)
    const worker = startWorker(opened)
    const arrived = receiver.next()
    worker.wake()
    await arrived
    const stopped = worker.stop({ deadlineMs: 5_000 })
    opened.clock.passTo(NOW + 5_000)
    await stopped
    expect(await findNotice(opened.db, notice.id)).toMatchObject({
      status: 'pending',
      attempts: 0,
      nextAttemptAt: NOW,
    })
  })

  it('tells how every attempt ended', async () => {
    const opened = await openOutbox()
    const receiver = await receive((_, count) => ({ status: count === 1 ? 500 : 200 }))
    await put(opened, noticeTo(`webhook:${receiver.url}/`))
    const results: boolean[] = []
    await runOut(startWorker(opened, { onResult: (_, { ok }) => results.push(ok) }), opened.clock)
    expect(results).toEqual([false, true])
  })

  it('shows what would be sent without sending it', async () => {
    const opened = await openOutbox()
    const receiver = await receive(() => ({}))
    const notice = noticeTo(`webhook:${receiver.url}/`)
    expect(startWorker(opened).dryRun(notice)).toMatchObject({ method: 'POST', body: notice.payload })
    expect(receiver.received).toEqual([])
  })
})
