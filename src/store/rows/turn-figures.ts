import type { Db } from '../db.ts'
import { byPlace, countOf, type Stretch, type Stretched, stretched } from './stretches.ts'
import type { UsageFigures } from './usage-figures.ts'

type TurnsAndTokens = Pick<UsageFigures, 'turns' | 'tokens'>

/** One for each stretch, in their order. */
export async function turnFigures(db: Db, stretches: readonly Stretch[]): Promise<TurnsAndTokens[]> {
  const within = stretched(db, stretches)
  const started = await startedIn(within)
  const running = await runningSince(db)
  const ended = await endedIn(within)
  return stretches.map(({ from, to }, place) => {
    const stillRuns = running.filter((at) => at >= from && at < to).length
    const { turns, tokens } = ended.get(place) ?? NONE
    return { turns: { ...turns, started: (started.get(place) ?? 0) + stillRuns }, tokens }
  })
}

const NONE = {
  turns: { completed: 0, failed: 0, interrupted: 0 },
  tokens: { input: 0, cachedInput: 0, output: 0, reasoningOutput: 0 },
}

async function startedIn(within: Stretched): Promise<Map<number, number>> {
  const rows = await within
    .selectFrom('stretch')
    .innerJoin('turns', (join) => join.onRef('started_at', '>=', 'from_at').onRef('started_at', '<', 'to_at'))
    .select(({ fn }) => ['place', fn.countAll<number>().as('count')])
    .groupBy('place')
    .execute()
  return byPlace(rows, ({ count }) => Number(count))
}

/** When the turns began that run now: on record are those that have ended. */
async function runningSince(db: Db): Promise<number[]> {
  const rows = await db
    .selectFrom('tasks')
    .innerJoin('messages', (join) =>
      join.onRef('messages.task_id', '=', 'tasks.id').onRef('messages.turn_id', '=', 'tasks.turn_id'),
    )
    .select(({ fn }) => fn.min('messages.updated_at').as('at'))
    .where('tasks.status', 'in', ['working', 'waiting'])
    .where('messages.mode', '=', 'queue')
    .groupBy('tasks.id')
    .execute()
  return rows.map(({ at }) => Number(at))
}

async function endedIn(within: Stretched): Promise<Map<number, typeof NONE>> {
  const rows = await within
    .selectFrom('stretch')
    .innerJoin('turns', (join) => join.onRef('ended_at', '>=', 'from_at').onRef('ended_at', '<', 'to_at'))
    .select(({ fn }) => [
      'place',
      countOf('status', ['completed']).as('completed'),
      countOf('status', ['failed', 'timed-out', 'lost']).as('failed'),
      countOf('status', ['interrupted']).as('interrupted'),
      fn.sum('input_tokens').as('input'),
      fn.sum('cached_input_tokens').as('cached'),
      fn.sum('output_tokens').as('output'),
      fn.sum('reasoning_output_tokens').as('reasoning'),
    ])
    .groupBy('place')
    .execute()
  return byPlace(rows, (row) => ({
    turns: {
      completed: Number(row.completed),
      failed: Number(row.failed),
      interrupted: Number(row.interrupted),
    },
    tokens: {
      input: Number(row.input),
      cachedInput: Number(row.cached),
      output: Number(row.output),
      reasoningOutput: Number(row.reasoning),
    },
  }))
}
