import { describe, expect, it } from 'vitest'
import type { EventEnvelope, EventQuery } from '../../api/index.ts'
import { seqBeforeLast } from './seq-before-last.ts'

/** A service with events of these sequences, and pages of three events at most. */
function open(seqs: readonly number[]) {
  const asked: EventQuery[] = []
  const events = async (_: string, query: EventQuery) => {
    asked.push(query)
    const earlier = seqs.filter((seq) => seq < query.before!)
    const page = earlier.slice(-Math.min(query.limit!, 3))
    return { events: page.map((seq) => ({ seq }) as EventEnvelope), hasMore: page.length < earlier.length }
  }
  const last = (count: number) =>
    seqBeforeLast({ tasks: { events } } as never, { id: 'task-1', lastSeq: seqs.at(-1) ?? 0 }, count)
  const shown = async (count: number) => {
    const after = await last(count)
    return seqs.filter((seq) => seq > after)
  }
  return { asked, shown }
}

describe('the last events of a task', () => {
  const GAPS = [2, 3, 10, 11, 12, 40, 41, 90]

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('are %i, whatever gaps their sequences have', async (count) => {
    expect(await open(GAPS).shown(count)).toEqual(GAPS.slice(-count))
  })

  it.each([9, 89, 90, 1_000_000])('are all there are, when %i are wanted', async (count) => {
    expect(await open(GAPS).shown(count)).toEqual(GAPS)
  })

  it('are none of a task that has none', async () => {
    expect(await open([]).shown(3)).toEqual([])
  })

  it('are not counted where the highest sequence says that all are wanted', async () => {
    const { asked, shown } = open(GAPS)
    await shown(90)
    expect(asked).toEqual([])
  })
})
