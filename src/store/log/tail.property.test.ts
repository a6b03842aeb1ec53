// Whoever stores a task's events, and in whatever order commits, publishing, news and polls come: a follower gets every
// event that is still stored, in order and once.
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { freshDatabase } from '../../../test/support/postgres/fresh-database.ts'
import type { Bus, BusListener } from '../bus/index.ts'
import type { Db } from '../db.ts'
import { eventRow, taskRow } from '../fixtures/sample-rows.ts'
import { NEVER } from '../fixtures/worker-logs.ts'
import { openPostgres } from '../postgres/open-postgres.ts'
import { insertEvents } from '../rows/insert-events.ts'
import { updateTask } from '../rows/task-rows.ts'
import type { EventRow } from '../schema.ts'
import { Followers } from './followers.ts'
import { SharedLog } from './shared-log.ts'

type Step =
  /** A commit by our own log or another worker's: so many events; it may delete the deltas that came before it. */
  | { readonly do: 'store'; readonly isHere: boolean; readonly count: number; readonly kind: Kind }
  /** Our own log tells its followers of the oldest commit that it has not told. */
  | { readonly do: 'publish' | 'news' | 'poll' }
  | { readonly do: 'follow'; readonly after: number }
  | { readonly do: 'wait'; readonly ms: number }
type Kind = 'plain' | 'deltas' | 'completion'

const steps = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('store' as const),
        isHere: fc.boolean(),
        count: fc.integer({ min: 1, max: 4 }),
        kind: fc.constantFrom<Kind>('plain', 'deltas', 'completion'),
      }),
    },
    { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('publish' as const, 'news', 'poll') }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('follow' as const), after: fc.integer({ min: 0, max: 9 }) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 3 }) }),
    },
  ),
  { minLength: 5, maxLength: 40 },
)

class Stage {
  readonly #db: Db
  readonly #taskId: string
  readonly #followers: Followers
  readonly #shared: SharedLog
  readonly #stop = new AbortController()
  readonly #unpublished: EventRow[][] = []
  readonly #following: { readonly after: number; readonly got: number[] }[] = []
  readonly #deltas = new Set<number>()
  #listener: BusListener | null = null
  #seq = 0

  constructor(db: Db, taskId: string) {
    this.#db = db
    this.#taskId = taskId
    const bus: Bus = {
      tell: () => {},
      listen: (listener) => {
        this.#listener = listener
        return () => {}
      },
      isListening: true,
      close: async () => {},
    }
    this.#shared = new SharedLog({ bus, db, self: 'here', pollMs: NEVER })
    this.#followers = new Followers(db, this.#shared)
  }

  async do(step: Step): Promise<void> {
    if (step.do === 'store') await this.#store(step)
    else if (step.do === 'publish') this.#followers.publish(this.#unpublished.shift() ?? [])
    else if (step.do === 'news')
      this.#listener!.news({ kind: 'events', taskId: this.#taskId, seq: this.#seq })
    else if (step.do === 'follow') this.#follow(step.after)
    else if (step.do === 'poll') this.#listener!.gap()
    else if ('ms' in step) await new Promise((resolve) => setTimeout(resolve, step.ms))
  }

  async finish(): Promise<void> {
    await this.do({ do: 'store', isHere: false, count: 1, kind: 'plain' })
    while (this.#unpublished.length > 0) await this.do({ do: 'publish' })
    await this.do({ do: 'poll' })
    const stored = await this.#db
      .selectFrom('events')
      .select('seq')
      .where('task_id', '=', this.#taskId)
      .execute()
    for (const { after, got } of this.#following) {
      if (after < this.#seq) await expect.poll(() => got.at(-1), { interval: 2 }).toBe(this.#seq)
      const expected = stored.map(({ seq }) => seq).filter((seq) => seq > after)
      expect(got.filter((seq) => !this.#deltas.has(seq) || expected.includes(seq))).toEqual(
        expected.sort((a, b) => a - b),
      )
      expect(got).toEqual([...new Set(got)].sort((a, b) => a - b))
    }
    this.#stop.abort()
    this.#shared.close()
  }

  async #store({ isHere, count, kind }: Step & { do: 'store' }): Promise<void> {
    const isDelta = kind === 'deltas'
    const rows = Array.from({ length: count }, () =>
      eventRow(this.#taskId, ++this.#seq, { is_delta: isDelta ? 1 : 0, item_id: null }),
    )
    if (isDelta) for (const { seq } of rows) this.#deltas.add(seq)
    await this.#db.transaction().execute(async (db) => {
      if (kind === 'completion')
        await db.deleteFrom('events').where('task_id', '=', this.#taskId).where('is_delta', '=', 1).execute()
      await insertEvents(db, rows)
      await updateTask(db, this.#taskId, { last_seq: this.#seq })
    })
    if (isHere) this.#unpublished.push(rows)
  }

  #follow(after: number): void {
    const got: number[] = []
    this.#following.push({ after, got })
    const { signal } = this.#stop
    void (async () => {
      for await (const { seq } of this.#followers.follow(this.#taskId, { after, signal })) got.push(seq)
    })()
  }
}

it('a follower gets every stored event once and in order', { timeout: 60_000 }, async () => {
  const { db, close } = await openPostgres({ url: await freshDatabase('migrated'), poolSize: 6 })
  onTestFinished(() => close())
  let count = 0
  await fc.assert(
    fc.asyncProperty(steps, async (given) => {
      const taskId = `task ${count++}`
      await db.insertInto('tasks').values(taskRow(taskId)).execute()
      const stage = new Stage(db, taskId)
      await stage.do({ do: 'follow', after: 0 })
      for (const step of given) await stage.do(step)
      await stage.finish()
    }),
    { numRuns: 30 },
  )
})
