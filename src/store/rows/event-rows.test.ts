import { describe, expect, it } from 'vitest'
import { STORES } from '../../../test/support/stores.ts'
import { completedIn } from '../../tasks/history.ts'
import { eventRow, taskRow } from '../fixtures/sample-rows.ts'
import type { EventRow } from '../schema.ts'
import { eventPage } from './event-rows.ts'
import { insertEvents } from './insert-events.ts'

const frame = (method: string, params: object) => JSON.stringify({ method, params })

describe.each(STORES)('on $name', ({ make }) => {
  async function opened(rows: readonly EventRow[]) {
    const { db, reader } = await (await make()).open()
    await db.insertInto('tasks').values(taskRow('a')).execute()
    await insertEvents(db, rows)
    return reader
  }

  describe('a page of events', () => {
    const many = { limit: 100, maxBytes: 1_000 }

    it('holds as many bytes as it may, counted as bytes, and at least one event', async () => {
      const db = await opened([1, 2, 3, 4].map((seq) => eventRow('a', seq, { frame: 'é'.repeat(200) })))
      const forwards = await eventPage(db, 'a', { ...many, after: 0 })
      expect([forwards.events.map(({ seq }) => seq), forwards.hasMore]).toEqual([[1, 2], true])
      const backwards = await eventPage(db, 'a', { ...many, before: 4 })
      expect([backwards.events.map(({ seq }) => seq), backwards.hasMore]).toEqual([[2, 3], true])
      const tiny = await eventPage(db, 'a', { limit: 100, maxBytes: 1, after: 3 })
      expect([tiny.events.map(({ seq }) => seq), tiny.hasMore]).toEqual([[4], false])
    })

    it('of nothing is empty', async () => {
      const db = await opened([eventRow('a', 1)])
      expect(await eventPage(db, 'a', { ...many, after: 1 })).toEqual({ events: [], hasMore: false })
      expect(await eventPage(db, 'b', { ...many, before: 9 })).toEqual({ events: [], hasMore: false })
    })
  })

  it('what has completed in a turn is told by all its names, large or not', async () => {
    const item = (id: string, text: string) =>
      frame('item/completed', { item: { id, type: 'agentMessage', text } })
    const large = (method: string) => frame('drawbridge/oversize', { method })
    const db = await opened([
      eventRow('a', 1, { item_id: 'i1', frame: item('i1', 'hello') }),
      eventRow('a', 2, { item_id: 'i2', method: 'drawbridge/oversize', frame: large('item/completed') }),
      eventRow('a', 3, { item_id: 'i3', method: 'drawbridge/oversize', frame: large('item/started') }),
      eventRow('a', 4, { item_id: null, method: 'drawbridge/oversize', frame: large('turn/completed') }),
      eventRow('a', 5, { turn_id: 'other', item_id: 'i5', frame: item('i5', 'elsewhere') }),
    ])
    expect(await completedIn(db, 'a', 'turn-1')).toEqual(['i1', 'agentMessage hello', 'i2', 'turn-1'])
    const plain = await opened([eventRow('a', 1, { item_id: null, method: 'turn/completed', frame: '{}' })])
    expect(await completedIn(plain, 'a', 'turn-1')).toEqual(['turn-1'])
  })
})
