import { type Kysely, sql } from 'kysely'
import type { Database } from '../schema.ts'
import { byPlace, countOf, type Stretch, type Stretched, stretched } from './stretches.ts'
import type { UsageFigures } from './usage-figures.ts'

type QuestionsAndWait = Pick<UsageFigures, 'questions' | 'wait'>

/** One for each stretch, in their order. */
export async function questionFigures(
  db: Kysely<Database>,
  stretches: readonly Stretch[],
): Promise<QuestionsAndWait[]> {
  const within = stretched(db, stretches)
  const asked = await askedIn(within)
  const settled = await settledIn(within)
  const waits = await waitsIn(within)
  return stretches.map((_, place) => ({
    questions: { ...(settled.get(place) ?? NONE), asked: asked.get(place) ?? 0 },
    wait: waits.get(place) ?? null,
  }))
}

const NONE = { byRule: 0, byPerson: 0, byDefault: 0, withdrawn: 0 }

async function askedIn(within: Stretched): Promise<Map<number, number>> {
  const rows = await within
    .selectFrom('stretch')
    .innerJoin('approval_times', (join) =>
      join.onRef('asked_at', '>=', 'from_at').onRef('asked_at', '<', 'to_at'),
    )
    .select(({ fn }) => ['place', fn.countAll<number>().as('count')])
    .groupBy('place')
    .execute()
  return byPlace(rows, ({ count }) => Number(count))
}

async function settledIn(within: Stretched): Promise<Map<number, typeof NONE>> {
  const rows = await within
    .selectFrom('stretch')
    .innerJoin('approval_times', (join) =>
      join.onRef('settled_at', '>=', 'from_at').onRef('settled_at', '<', 'to_at'),
    )
    .select([
      'place',
      countOf('outcome', ['rule']).as('rule'),
      countOf('outcome', ['person']).as('person'),
      countOf('outcome', ['default']).as('nobody'),
      countOf('outcome', ['withdrawn']).as('withdrawn'),
    ])
    .where('outcome', 'in', ['rule', 'person', 'default', 'withdrawn'])
    .groupBy('place')
    .execute()
  return byPlace(rows, (row) => ({
    byRule: Number(row.rule),
    byPerson: Number(row.person),
    byDefault: Number(row.nobody),
    withdrawn: Number(row.withdrawn),
  }))
}

/** The median of many days is not to be had from the medians of each. */
export async function waitIn(db: Kysely<Database>, stretch: Stretch): Promise<UsageFigures['wait']> {
  return (await waitsIn(stretched(db, [stretch]))).get(0) ?? null
}

/** The median is the one in the middle, or between the two that are. */
async function waitsIn(within: Stretched): Promise<Map<number, NonNullable<UsageFigures['wait']>>> {
  const rows = await within
    .with('waits', (db) =>
      db
        .selectFrom('stretch')
        .innerJoin('approval_times', (join) =>
          join.onRef('settled_at', '>=', 'from_at').onRef('settled_at', '<', 'to_at'),
        )
        .select([
          'place',
          sql<number>`settled_at - asked_at`.as('ms'),
          sql<number>`row_number() over (partition by place order by settled_at - asked_at)`.as('rank'),
          sql<number>`count(*) over (partition by place)`.as('count'),
        ])
        .where('outcome', '=', 'person'),
    )
    .selectFrom('waits')
    .select(({ fn, ref }) => [
      'place',
      sql<number>`avg(case when ${ref('rank')} * 2 between ${ref('count')} and ${ref('count')} + 2 then ms end)`.as(
        'median',
      ),
      fn.max('ms').as('max'),
    ])
    .groupBy('place')
    .execute()
  return byPlace(rows, ({ median, max }) => ({ medianMs: Math.round(Number(median)), maxMs: Number(max) }))
}
