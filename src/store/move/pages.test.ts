import { describe, expect, it } from 'vitest'
import { STORES } from '../../../test/support/stores.ts'
import { eventRow } from '../fixtures/sample-rows.ts'
import { insertEvents } from '../rows/insert-events.ts'
import { pagesOf } from './pages.ts'
import { tablesOf } from './tables.ts'

async function eventsTable() {
  const { db } = await (await STORES[0].make()).open()
  return (await tablesOf(db)).find(({ name }) => name === 'events')!
}

describe.each(STORES)('pages on $name', ({ make }) => {
  it('have a bounded size, whatever the size of a row, and every row once in the order of the key', async () => {
    const { db } = await (await make()).open()
    const table = await eventsTable()
    const million = 1024 * 1024
    const sizes = [...Array(4).fill(3 * million), 9 * million, ...Array(4_500).fill(10), 9 * million]
    const rows = sizes.map((size, index) =>
      eventRow(index % 2 ? 'B' : 'a', index, { frame: 'é'.repeat(size / 2) }),
    )
    await insertEvents(db, rows)
    const seen: unknown[] = []
    for await (const page of pagesOf(db, table)) {
      const bytes = page.map((row) => Buffer.byteLength(row[table.columns.indexOf('frame')] as string))
      if (page.length > 1) expect(bytes.reduce((sum, each) => sum + each)).toBeLessThanOrEqual(8 * million)
      expect(page.length).toBeLessThanOrEqual(2_000)
      seen.push(...page.map(([taskId, seq]) => `${taskId} ${seq}`))
    }
    const keys = rows.map(({ task_id, seq }) => ({ task_id, seq }))
    const inOrder = keys.toSorted((one, other) =>
      one.task_id === other.task_id ? one.seq - other.seq : one.task_id < other.task_id ? -1 : 1,
    )
    expect(seen).toEqual(inOrder.map(({ task_id, seq }) => `${task_id} ${seq}`))
  })

  it('of an empty table: none', async () => {
    const { db } = await (await make()).open()
    const pages: unknown[] = []
    for await (const page of pagesOf(db, await eventsTable())) pages.push(page)
    expect(pages).toEqual([])
  })
})
