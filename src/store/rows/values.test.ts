// What is stored is read back the same from either database, and sorts the same.
import { describe, expect, it } from 'vitest'
import { STORES } from '../../../test/support/stores.ts'
import { eventRow, messageRow, taskRow } from '../fixtures/sample-rows.ts'
import { eventPage } from './event-rows.ts'
import { insertEvents } from './insert-events.ts'
import { insertTask, shownTasks, taskRow as storedTask, updateTask } from './task-rows.ts'

const EVERYTHING = { after: 0, limit: 1_000_000, maxBytes: 1e9 }
const TEXTS = [
  '',
  ' ',
  '😀 👩‍👩‍👧 é é',
  `quotes ' " \\ $1 ? %_`,
  'lines\r\n\t',
  '\u0001\u007f\ufeff\uffff',
  '{"a",NULL}',
]

describe.each(STORES)('on $name', ({ make, name }) => {
  it.each(TEXTS)('text is what it was: %j', async (text) => {
    const { db, reader } = await (await make()).open()
    await insertTask(db, taskRow('a', { title: text, prompt: text }), [text])
    await insertEvents(db, [
      eventRow('a', 1, { frame: text, item_id: text }),
      eventRow('a', 2, { turn_id: null }),
    ])
    expect(await storedTask(reader, 'a')).toMatchObject({ title: text, prompt: text })
    expect((await eventPage(reader, 'a', EVERYTHING)).events[0]!.frame).toBe(text)
    expect((await shownTasks(reader, { labels: [text] })).items).toMatchObject([{ labels: [text] }])
    const rows = await reader.selectFrom('events').select(['turn_id', 'item_id']).orderBy('seq').execute()
    expect(rows).toEqual([
      { turn_id: 'turn-1', item_id: text },
      { turn_id: null, item_id: 'item-2' },
    ])
  })

  it('NUL is kept by SQLite and shown as its picture by PostgreSQL, wherever it stands', async () => {
    const { db, reader } = await (await make()).open()
    const kept = name === 'SQLite' ? 'a\0b\0' : 'a␀b␀'
    await insertTask(db, taskRow('a', { title: 'a\0b\0' }), ['a\0b\0'])
    await updateTask(db, 'a', { reason: 'a\0b\0' })
    const escaped = JSON.stringify({ method: 'x', params: { text: 'a\0b\0' } })
    await insertEvents(db, [eventRow('a', 1, { frame: 'a\0b\0' }), eventRow('a', 2, { frame: escaped })])
    expect(await storedTask(reader, 'a')).toMatchObject({ title: kept, reason: kept })
    // What is looked for is found.
    expect((await shownTasks(reader, { labels: ['a\0b\0'] })).items).toMatchObject([{ labels: [kept] }])
    const { events } = await eventPage(reader, 'a', EVERYTHING)
    expect(events.map(({ frame }) => frame)).toEqual([kept, escaped])
    expect(JSON.parse(events[1]!.frame).params.text).toBe('a\0b\0')
  })

  it('numbers are numbers up to the largest safe one', async () => {
    const { db, reader } = await (await make()).open()
    const large = Number.MAX_SAFE_INTEGER
    await insertTask(db, taskRow('a', { last_seq: large, created_at: large, timeout_ms: 0 }), [])
    const row = await storedTask(reader, 'a')
    expect(row).toMatchObject({ last_seq: large, created_at: large, timeout_ms: 0, keep_open: 0 })
  })

  it('ids sort by their bytes, in lists, pages and comparisons', async () => {
    const { db, reader } = await (await make()).open()
    const ids = ['B', 'Z', '_', 'a', 'a-', 'a1', 'aB', 'ab', 'z', 'é', '😀']
    for (const id of ids.toReversed()) {
      await insertTask(db, taskRow(id), [])
      await db.insertInto('messages').values(messageRow(id, id)).execute()
    }
    const sorted = ids.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
    const listed: string[] = []
    let cursor: string | undefined
    do {
      const page = await shownTasks(reader, { limit: 3, ...(cursor !== undefined && { cursor }) })
      listed.push(...page.items.map(({ id }) => id))
      cursor = page.cursor ?? undefined
    } while (cursor !== undefined)
    expect(listed).toEqual(sorted.toReversed())
    const above = await reader
      .selectFrom('messages')
      .select('id')
      .where('id', '>', 'a')
      .orderBy('id')
      .execute()
    expect(above.map(({ id }) => id)).toEqual(sorted.slice(sorted.indexOf('a') + 1))
  })

  it('100,000 events go in, in groups of any size, and come out in order', async () => {
    const { db, reader } = await (await make()).open()
    await insertTask(db, taskRow('a'), [])
    const count = 100_000
    const rows = Array.from({ length: count }, (_, index) =>
      eventRow('a', index + 1, { frame: `{"n":${index}}`, is_delta: index % 2 }),
    )
    await db.transaction().execute(async (trx) => {
      for (let from = 0, size = 1; from < count; from += size, size = (size * 7) % 20_011)
        await insertEvents(trx, rows.slice(from, from + size))
    })
    const totals = await reader
      .selectFrom('events')
      .select(({ fn }) => [fn.countAll<number>().as('count'), fn.max('seq').as('last')])
      .executeTakeFirstOrThrow()
    expect(totals).toEqual({ count, last: count })
    const { events } = await eventPage(reader, 'a', { after: 70_000, limit: 500, maxBytes: 1e9 })
    expect(events.map(({ seq, frame }) => [seq, frame])).toEqual(
      Array.from({ length: 500 }, (_, index) => [70_001 + index, `{"n":${70_000 + index}}`]),
    )
  })
})
