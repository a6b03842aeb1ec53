import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { freshDatabase } from '../../../test/support/postgres/fresh-database.ts'
import { countNotices, type Db, openPostgres } from '../../store/index.ts'
import { type Answer, type Receiver, startReceiver } from './fixtures/receiver.ts'
import { noticeTo, settings } from './fixtures/tasks.ts'
import {
  findNotice,
  findOutgoing,
  type NewNotice,
  NoticeSender,
  type NoticeSettings,
  OutboxWorker,
  putNotices,
  sharedOutbox,
} from './index.ts'

const finished = onTestFinished
const WITHIN = { timeout: 30_000, interval: 20 }
const DAY_MS = 24 * 60 * 60 * 1000

interface WorkerOptions {
  readonly known?: Partial<NoticeSettings>
  readonly claimMs?: number
}

/** One more service on this database. */
async function join(url: string, { known = {}, claimMs = 60_000 }: WorkerOptions = {}) {
  const { db, close } = await openPostgres({ url, poolSize: 4 })
  const sender = new NoticeSender(settings({ now: Date.now, ...known }))
  const outbox = sharedOutbox(db, { claimMs, reach: sender.reach })
  const sent: string[] = []
  const errors: unknown[] = []
  const worker = new OutboxWorker({
    outbox,
    sender,
    lookEveryMs: 200,
    onResult: ({ id }) => sent.push(id),
    onError: (error) => errors.push(error),
  })
  finished(async () => {
    await worker.stop({ deadlineMs: 0 })
    await close()
    expect(errors).toEqual([])
  })
  return { db, outbox, worker, sent }
}

const receive = (answer: Answer) => startReceiver(answer, { finished })
const now = (notice: NewNotice): NewNotice => ({ ...notice, createdAt: Date.now() })
const keysOf = ({ received }: Receiver) => received.map(({ headers }) => String(headers['idempotency-key']))

function noticesFor({ url }: Receiver, { count, targets }: { count: number; targets: number }): NewNotice[] {
  return Array.from({ length: count }, (_, index) => now(noticeTo(`webhook:${url}/${index % targets}`)))
}

const allSent = (db: Db, count: number) =>
  vi.waitFor(async () => expect(await countNotices(db)).toEqual({ sent: count }), WITHIN)

describe('an outbox that several workers take from', () => {
  it('has each of 200 notices to 20 targets sent once, by both', async () => {
    const url = await freshDatabase('migrated')
    const receiver = await receive(() => delay(2).then(() => ({})))
    const [one, two] = [await join(url), await join(url)]
    const notices = noticesFor(receiver, { count: 200, targets: 20 })
    await putNotices(one.db, notices)
    one.worker.wake()
    two.worker.wake()
    await allSent(one.db, 200)
    expect(keysOf(receiver).sort()).toEqual(notices.map(({ id }) => id).sort())
    expect(one.sent.length).toBeGreaterThan(0)
    expect(two.sent.length).toBeGreaterThan(0)
  })

  it('sends again, under its id, only what a killed worker was sending', async () => {
    const url = await freshDatabase('migrated')
    const receiver = await receive(() => delay(10).then(() => ({})))
    const claimMs = 5_000
    const { db, worker } = await join(url, { claimMs })
    const notices = noticesFor(receiver, { count: 200, targets: 20 })
    const program = fileURLToPath(new URL('./fixtures/send-notices.ts', import.meta.url))
    const child = spawn(process.execPath, [program, url, String(claimMs)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    finished(() => void child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    await putNotices(db, notices)
    await vi.waitFor(() => expect(receiver.received.length).toBeGreaterThan(20), { ...WITHIN, interval: 1 })
    worker.wake()
    await vi.waitFor(() => expect(receiver.received.length).toBeGreaterThan(60), { ...WITHIN, interval: 1 })
    child.kill('SIGKILL')
    await once(child, 'exit')
    const underWay = await db
      .selectFrom('outbox')
      .select('id')
      .where('status', '=', 'pending')
      .where('claimed_by', 'is not', null)
      .execute()
    await allSent(db, 200)
    const keys = keysOf(receiver)
    expect(new Set(keys)).toEqual(new Set(notices.map(({ id }) => id)))
    const twice = keys.filter((key, index) => keys.indexOf(key) !== index)
    expect(underWay.map(({ id }) => id)).toEqual(expect.arrayContaining(twice))
    expect(new Set(twice).size).toBe(twice.length)
  })

  it('leaves what a worker has no settings for to one that has them', async () => {
    const url = await freshDatabase('migrated')
    const receiver = await receive(() => ({}))
    const local = vi.fn()
    const one = await join(url, { known: { local } })
    const named = now(noticeTo('team'))
    const mail = now(noticeTo('Email:dev@a.example'))
    const here = now(noticeTo('local'))
    await putNotices(one.db, [named, mail, here])
    one.worker.wake()
    await vi.waitFor(() => expect(local).toHaveBeenCalledOnce(), WITHIN)
    await one.worker.drain()
    for (const { id } of [named, mail])
      expect(await findNotice(one.db, id)).toMatchObject({ status: 'pending', attempts: 0 })
    const two = await join(url, { known: { named: { team: `webhook:${receiver.url}/team` } } })
    two.worker.wake()
    await vi.waitFor(() => expect(keysOf(receiver)).toEqual([named.id]), WITHIN)
    await two.worker.drain()
    expect(await findNotice(one.db, mail.id)).toMatchObject({ status: 'pending', attempts: 0 })
    expect(local).toHaveBeenCalledOnce()
  })

  it('gives up on what no worker had the settings for within a day', async () => {
    const url = await freshDatabase('migrated')
    const { db, worker } = await join(url)
    const old = { createdAt: Date.now() - DAY_MS - 1 }
    const named = { ...noticeTo('team'), ...old }
    const mail = { ...noticeTo('email:dev@a.example'), ...old }
    await putNotices(db, [named, mail])
    worker.wake()
    await vi.waitFor(async () => expect(await countNotices(db)).toEqual({ dead: 2 }), WITHIN)
    expect(await findNotice(db, named.id)).toMatchObject({ lastError: expect.stringContaining('team') })
    expect(await findNotice(db, mail.id)).toMatchObject({ lastError: expect.stringContaining('SMTP') })
  })

  it('is looked at for what others put in, without being woken again', async () => {
    const url = await freshDatabase('migrated')
    const receiver = await receive(() => ({}))
    const [one, two] = [await join(url), await join(url)]
    two.worker.wake()
    await two.worker.drain()
    await putNotices(one.db, noticesFor(receiver, { count: 1, targets: 1 }))
    await allSent(one.db, 1)
    expect(two.sent).toHaveLength(1)
  })
})

describe('a claim', () => {
  async function claimed(claimMs: number) {
    const url = await freshDatabase('migrated')
    const [one, two] = [await join(url, { claimMs }), await join(url, { claimMs: 60_000 })]
    const notice = now(noticeTo('webhook:http://127.0.0.1:1/'))
    await putNotices(one.db, [notice])
    const outgoing = (await findOutgoing(one.db, notice.id))!
    expect(await one.outbox.claim!([outgoing], Date.now())).toEqual([outgoing])
    const due = () => two.outbox.due(Date.now(), { limit: 9, exceptTargets: [] })
    return { one, two, outgoing, due, state: () => findNotice(one.db, notice.id) }
  }

  it('keeps others away until it runs out, on the clock of the database', async () => {
    const { two, outgoing, due } = await claimed(1_000)
    expect(await due()).toEqual([])
    expect(await two.outbox.claim!([outgoing], Date.now() + DAY_MS)).toEqual([])
    const next = await two.outbox.nextDueAt({ exceptTargets: [], now: Date.now() })
    expect(next).toBeGreaterThan(outgoing.createdAt)
    await vi.waitFor(async () => expect(await due()).toEqual([outgoing]), WITHIN)
    expect(await two.outbox.claim!([outgoing], Date.now())).toEqual([outgoing])
  })

  it('that ran out lets its worker say that it was sent, and nothing else', async () => {
    const { one, two, outgoing, due, state } = await claimed(1)
    await vi.waitFor(async () => expect(await due()).toHaveLength(1), WITHIN)
    expect(await two.outbox.claim!([outgoing], Date.now())).toHaveLength(1)
    await one.outbox.failed(outgoing.id, { error: 'HTTP 500', nextAttemptAt: 1 })
    await one.outbox.dead(outgoing.id, 'HTTP 410')
    await one.outbox.release!([outgoing])
    expect(await state()).toMatchObject({ status: 'pending', attempts: 0, lastError: null })
    expect(await due()).toEqual([])
    await one.outbox.sent(outgoing.id, 7)
    await two.outbox.failed(outgoing.id, { error: 'late', nextAttemptAt: 1 })
    expect(await state()).toMatchObject({ status: 'sent', attempts: 1, sentAt: 7 })
  })

  it('is over with a failed attempt, and when its worker stops', async () => {
    const { one, two, outgoing, due } = await claimed(60_000)
    await one.outbox.failed(outgoing.id, { error: 'HTTP 500', nextAttemptAt: Date.now() })
    expect(await due()).toMatchObject([{ id: outgoing.id, attempts: 1 }])
    const receiver = await receive(() => 'hang')
    const hanging = now(noticeTo(`webhook:${receiver.url}/`))
    await two.outbox.dead(outgoing.id, 'not claimed, so nothing happens')
    await one.outbox.claim!([outgoing], Date.now())
    await putNotices(one.db, [hanging])
    const request = receiver.next()
    one.worker.wake()
    await request
    expect(await due()).toEqual([])
    await one.worker.stop({ deadlineMs: 0 })
    expect((await due()).map(({ id }) => id)).toEqual([hanging.id])
  })
})
