import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../../test/support/stores.ts'
import type { Db } from '../db.ts'
import { isPostgres } from '../dialect.ts'
import { allRows, fillGenerated } from '../fixtures/generated-rows.ts'
import { countOf, eventRow, fill, messageRow, taskRow } from '../fixtures/sample-rows.ts'
import { MIGRATIONS } from '../migrations/index.ts'
import { insertEvents } from '../rows/insert-events.ts'
import type { MoveProgress } from './copy-store.ts'
import { moveStore } from './move-store.ts'
import { tablesOf } from './tables.ts'

const [SQLITE, POSTGRES] = STORES
const DIRECTIONS = [
  { name: 'from SQLite to PostgreSQL', source: SQLITE, target: POSTGRES },
  { name: 'from PostgreSQL to SQLite', source: POSTGRES, target: SQLITE },
]

async function open({
  source,
  target,
}: {
  source: (typeof STORES)[number]
  target: (typeof STORES)[number]
}) {
  return { from: await (await source.make()).open(), to: await (await target.make()).open() }
}

/** About the workers of one store, and who is let in by them. */
const LEFT_BEHIND = [
  ...['workers', 'commands', 'feed', 'account_holds'],
  ...['door_tokens', 'door_logins', 'door_codes'],
]

/** Of the tables that are moved. */
async function rowsOf(db: Db) {
  const rows = await allRows(db as unknown as Kysely<never>)
  for (const table of LEFT_BEHIND) delete rows[table]
  return rows
}

async function digestOf(db: Db): Promise<string> {
  const rows = Object.entries(await rowsOf(db)).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(rows)).digest('hex')
}

async function tablesWithRows(db: Db): Promise<string[]> {
  return Object.entries(await rowsOf(db)).flatMap(([name, rows]) => (rows.length > 0 ? [name] : []))
}

const AUDIT = { at: 1, approval_id: 'a', task_id: 'a', kind: 'command', title: 'x', decided_by: 'person' }

async function nextAuditId(db: Db): Promise<number> {
  return (await db.insertInto('audit').values(AUDIT).returning('id').executeTakeFirstOrThrow()).id
}

describe('there and back again', () => {
  it('gives every table its rows: emoji, empty text, nulls and the largest integers', async () => {
    const { from, to } = await open({ source: SQLITE, target: POSTGRES })
    await fillGenerated(from.db as unknown as Kysely<never>)
    await fill(from.db, { tasks: 3, events: 5 })
    const large = Number.MAX_SAFE_INTEGER
    const text = `😀 👩‍👩‍👧 é ' " \\ {"a",NULL} \u0001\uffff`
    const odd = taskRow(text, {
      title: '',
      result: text,
      last_seq: large,
      created_at: -large,
      timeout_ms: null,
    })
    await from.db.insertInto('tasks').values(odd).execute()
    await from.db
      .insertInto('messages')
      .values(messageRow('m', text, { client_id: text }))
      .execute()
    await insertEvents(from.db, [eventRow(text, large, { at: -large, turn_id: null, frame: text })])
    const before = await rowsOf(from.db)
    await moveStore({ from, to })
    expect(await rowsOf(to.db)).toEqual(before)
    const back = await (await SQLITE.make()).open()
    const moved = await moveStore({ from: to, to: back })
    expect(await rowsOf(back.db)).toEqual(before)
    expect(await rowsOf(from.db)).toEqual(before)
    expect(Object.fromEntries(moved.map(({ table, rows }) => [table, rows]))).toEqual(
      Object.fromEntries(Object.entries(before).map(([table, rows]) => [table, rows.length])),
    )
  })

  it('100,000 events', async () => {
    const { from, to } = await open({ source: SQLITE, target: POSTGRES })
    const rows = Array.from({ length: 100_000 }, (_, index) =>
      eventRow(`task-${index % 7}`, index, { is_delta: index % 2, turn_id: index % 3 ? 'turn' : null }),
    )
    await from.db.transaction().execute((trx) => insertEvents(trx, rows))
    const seen: MoveProgress[] = []
    await moveStore({ from, to, onProgress: (progress) => seen.push(progress) })
    const back = await (await SQLITE.make()).open()
    await moveStore({ from: to, to: back })
    expect(await countOf(back.db, 'events')).toBe(100_000)
    expect(await digestOf(back.db)).toBe(await digestOf(from.db))
    const ofEvents = seen.filter(({ table }) => table === 'events')
    expect(ofEvents[0]).toEqual({ table: 'events', copied: 0, checked: 0, total: 100_000 })
    expect(ofEvents[1]).toEqual({ table: 'events', copied: 2_000, checked: 0, total: 100_000 })
    expect(ofEvents.at(-1)).toEqual({ table: 'events', copied: 100_000, checked: 100_000, total: 100_000 })
  })

  it('NUL becomes its picture in PostgreSQL, is counted, and stays that', async () => {
    const { from, to } = await open({ source: SQLITE, target: POSTGRES })
    await from.db
      .insertInto('tasks')
      .values(taskRow('a\0', { title: '\0x\0', reason: 'plain' }))
      .execute()
    await from.db.insertInto('task_labels').values({ task_id: 'a\0', label: 'x' }).execute()
    const escaped = JSON.stringify({ text: '\0' })
    await insertEvents(from.db, [eventRow('a', 1, { frame: escaped }), eventRow('a', 2, { frame: '\0' })])
    const moved = await moveStore({ from, to })
    const changed = moved.filter(({ changedValues }) => changedValues > 0)
    expect(changed.toSorted((one, other) => (one.table < other.table ? -1 : 1))).toEqual([
      { table: 'events', rows: 2, changedValues: 1 },
      { table: 'task_labels', rows: 1, changedValues: 1 },
      { table: 'tasks', rows: 1, changedValues: 2 },
    ])
    const back = await (await SQLITE.make()).open()
    const returned = await moveStore({ from: to, to: back })
    expect(returned.every(({ changedValues }) => changedValues === 0)).toBe(true)
    const { tasks, events } = await rowsOf(back.db)
    expect(tasks).toMatchObject([{ id: 'a␀', title: '␀x␀', reason: 'plain' }])
    expect(events!.map(({ frame }) => frame)).toEqual([escaped, '␀'])
  })
})

describe('tables', () => {
  it('are all tables of the schema, each after those it refers to', async () => {
    const { from, to } = await open({ source: SQLITE, target: POSTGRES })
    const found = (await tablesOf(from.db)).map(({ name }) => name)
    const all = (await to.db.introspection.getTables()).map(({ name }) => name)
    const made = all.filter((name) => ![...LEFT_BEHIND, 'frames', 'deliverable_parts'].includes(name))
    expect(found.toSorted()).toEqual(made.toSorted())
    for (const child of ['task_labels', 'messages', 'approvals'])
      expect(found.indexOf(child)).toBeGreaterThan(found.indexOf('tasks'))
    await fillGenerated(from.db as unknown as Kysely<never>)
    const moved = await moveStore({ from, to })
    expect(moved.map(({ table, rows }) => [table, rows])).toEqual(found.map((table) => [table, 3]))
    expect((await tablesWithRows(to.db)).toSorted()).toEqual(made.toSorted())
  })

  /** The child's name sorts first. */
  const more: Migration = {
    async up(db) {
      await db.schema
        .createTable('machines')
        .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('name', 'text')
        .execute()
      await db.schema
        .createTable('a_lease')
        .addColumn('generation', 'bigint', (column) => column.notNull())
        .addColumn('order', 'integer', (column) => column.notNull())
        .addColumn('worker_id', 'integer', (column) => column.notNull().references('machines.id'))
        .addPrimaryKeyConstraint('a_lease_key', ['order', 'generation'])
        .execute()
    },
  }

  it.each(DIRECTIONS)('of a later migration are copied too, $name', async ({ source, target }) => {
    const migrations = { ...MIGRATIONS, '101-more': more }
    const from = await (await source.make()).open({ migrations })
    const to = await (await target.make()).open({ migrations })
    await sql`insert into machines (name) values ('one'), (null), ('three')`.execute(from.db)
    await sql`insert into a_lease (generation, "order", worker_id) values (9, 1, 3), (1, 2, 1)`.execute(
      from.db,
    )
    await moveStore({ from, to, migrations })
    const { machines, a_lease } = await rowsOf(to.db)
    expect(machines).toEqual([
      { id: 1, name: 'one' },
      { id: 2, name: null },
      { id: 3, name: 'three' },
    ])
    expect(a_lease).toEqual([
      { generation: 1, order: 2, worker_id: 1 },
      { generation: 9, order: 1, worker_id: 3 },
    ])
  })
})

describe.each(DIRECTIONS)('$name', (sides) => {
  it('ids go on after the last that was given, also when its row is gone', async () => {
    const { from, to } = await open(sides)
    await from.db.insertInto('audit').values([AUDIT, AUDIT, AUDIT, AUDIT]).execute()
    await from.db.deleteFrom('audit').where('id', 'in', [1, 4]).execute()
    await moveStore({ from, to })
    const { audit } = await rowsOf(to.db)
    expect(audit!.map(({ id }) => id)).toEqual([2, 3])
    expect(await nextAuditId(to.db)).toBe(5)
  })

  it('ids go on after the last that was given, also after a way back without a new row', async () => {
    const { from, to } = await open(sides)
    await from.db.insertInto('audit').values([AUDIT, AUDIT, AUDIT]).execute()
    await from.db.deleteFrom('audit').where('id', '=', 3).execute()
    await moveStore({ from, to })
    const back = await (await sides.source.make()).open()
    await moveStore({ from: to, to: back })
    expect(await nextAuditId(back.db)).toBe(4)
  })

  it('ids go on when all rows are gone, and begin at 1 when there were none', async () => {
    const { from, to } = await open(sides)
    await moveStore({ from, to })
    expect(await nextAuditId(to.db)).toBe(1)
    const second = await open(sides)
    await second.from.db.insertInto('audit').values([AUDIT, AUDIT]).execute()
    await second.from.db.deleteFrom('audit').execute()
    await moveStore(second)
    expect(await nextAuditId(second.to.db)).toBe(3)
  })

  it('refuses a target that has a row in any table', async () => {
    const { from, to } = await open(sides)
    await fill(from.db, { tasks: 1, events: 1 })
    await to.db.insertInto('approval_times').values({ approval_id: 'a', asked_at: 1 }).execute()
    const before = await rowsOf(to.db)
    await expect(moveStore({ from, to })).rejects.toMatchObject({
      code: 'target-not-empty',
      details: { table: 'approval_times' },
      message:
        'the target has rows already (in approval_times). Nothing was changed. Choose an empty database or a new data folder.',
    })
    expect(await rowsOf(to.db)).toEqual(before)
  })

  it('refuses a source or a target without the newest schema', async () => {
    const { from, to } = await open(sides)
    await fill(from.db, { tasks: 1, events: 1 })
    const steps = Object.keys(MIGRATIONS)
    const oldTarget = await (await sides.target.make()).openAt(steps.at(-2)!)
    await expect(moveStore({ from, to: oldTarget })).rejects.toMatchObject({
      code: 'schema-not-newest',
      details: { side: 'target', missing: [steps.at(-1)] },
    })
    const oldSource = await (await sides.source.make()).openAt(steps.at(-2)!)
    await expect(moveStore({ from: oldSource, to })).rejects.toMatchObject({
      code: 'schema-not-newest',
      details: { side: 'source' },
      message: expect.stringMatching(
        /^the source does not have the newest schema .* Start the service on it once/,
      ),
    })
    expect(await tablesWithRows(oldTarget.db)).toEqual([])
    expect(await tablesWithRows(to.db)).toEqual([])
  })

  it('refuses a source of a newer Drawbridge', async () => {
    const newer: Migration = { up: (db) => db.schema.createTable('more').addColumn('id', 'text').execute() }
    const from = await (await sides.source.make()).open({ migrations: { ...MIGRATIONS, '999-more': newer } })
    const to = await (await sides.target.make()).open()
    await expect(moveStore({ from, to })).rejects.toMatchObject({ code: 'database-too-new' })
  })

  it('refuses two databases of the same kind', async () => {
    const { from } = await open(sides)
    await expect(moveStore({ from, to: from })).rejects.toMatchObject({ code: 'bad-request' })
  })

  it.each([
    {
      what: 'other values',
      sqlite: `update rules set note = 'x' where id = new.id`,
      postgres: `new.note = 'x'`,
    },
    { what: 'a row less', sqlite: 'delete from rules where id = new.id', postgres: 'return null' },
  ])(
    'notices $what in the target, names the table and leaves the target empty',
    async ({ sqlite, postgres }) => {
      const { from, to } = await open(sides)
      await fillGenerated(from.db as unknown as Kysely<never>)
      await onInsertIntoRules(to.db, isPostgres(to.db) ? postgres : sqlite)
      await expect(moveStore({ from, to })).rejects.toMatchObject({
        code: 'move-failed',
        details: { table: 'rules' },
        message: expect.stringMatching(/^rules is not the same in the target .* Nothing was moved\./),
      })
      expect(await tablesWithRows(to.db)).toEqual([])
      expect(await nextAuditId(to.db)).toBe(1)
    },
  )
})

/** For the second of the generated rows. */
async function onInsertIntoRules(db: Db, action: string): Promise<void> {
  if (!isPostgres(db)) {
    await sql
      .raw(`create trigger changing after insert on rules when new.id = 'id-1'
      begin ${action}; end`)
      .execute(db)
    return
  }
  await sql
    .raw(`create function changing() returns trigger language plpgsql as
    $$ begin ${action}; return new; end $$`)
    .execute(db)
  await sql
    .raw(`create trigger changing before insert on rules for each row when (new.id = 'id-1')
    execute function changing()`)
    .execute(db)
}

it.each([
  {
    what: 'an integer of more than 32 bits',
    row: taskRow('b', { turn_count: 2 ** 40 }),
    says: 'out of range',
  },
  { what: 'ids that differ only in NUL', row: taskRow('a\0'), says: 'duplicate key' },
])('names the table with rows that PostgreSQL cannot hold: $what', async ({ row, says }) => {
  const { from, to } = await open({ source: SQLITE, target: POSTGRES })
  await from.db
    .insertInto('tasks')
    .values([taskRow('a␀'), row])
    .execute()
  await expect(moveStore({ from, to })).rejects.toMatchObject({
    code: 'move-failed',
    details: { table: 'tasks' },
    message: expect.stringMatching(
      new RegExp(`^tasks could not be copied: .*${says}.*Nothing was moved\\.$`),
    ),
  })
  expect(await tablesWithRows(to.db)).toEqual([])
})

it('refuses columns that were added by hand', async () => {
  const { from, to } = await open({ source: POSTGRES, target: SQLITE })
  await sql`alter table rules add column mine text`.execute(from.db)
  await expect(moveStore({ from, to })).rejects.toMatchObject({
    code: 'move-failed',
    details: { table: 'rules' },
  })
})
