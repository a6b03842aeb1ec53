import fc from 'fast-check'
import { type ColumnMetadata, type Kysely, sql } from 'kysely'
import { expect, it } from 'vitest'
import { STORES } from '../../../test/support/stores.ts'
import type { Db } from '../db.ts'
import { allRows } from '../fixtures/generated-rows.ts'
import { storable } from '../postgres/values.ts'
import { moveStore } from './move-store.ts'
import { type Table, tablesOf } from './tables.ts'

type Row = Readonly<Record<string, string | number | null>>
type Store = Readonly<Record<string, readonly Row[]>>

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('', '\0', 'a\0b', '😀', '\\', '"', '{}', 'NULL', '\ufeff'),
)

function anyValue({ dataType, isAutoIncrementing }: ColumnMetadata): fc.Arbitrary<string | number> {
  if (isAutoIncrementing) return fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })
  if (/^text$/i.test(dataType)) return text
  return /^integer$/i.test(dataType) ? fc.integer() : fc.maxSafeInteger()
}

/** Any rows for the tables there are. Those of a table that others refer to have few different keys. */
async function anyStore(sqlite: Db): Promise<fc.Arbitrary<Store>> {
  const tables = await sqlite.introspection.getTables()
  return fc.record(
    Object.fromEntries(
      tables.map(({ name, columns }) => {
        const row = fc.record(
          Object.fromEntries(
            columns.map((column) => [
              column.name,
              column.isNullable ? fc.option(anyValue(column)) : anyValue(column),
            ]),
          ),
        )
        return [name, fc.array(row, { maxLength: 6 })]
      }),
    ),
  )
}

/** What is not unique or null in a key is left out; what refers to nothing gets the key of a row that is there. */
async function insert(sqlite: Db, tables: readonly Table[], store: Store): Promise<void> {
  for (const { name, columns, key } of tables) {
    const references = await sql<{
      from: string
      parent: string
      to: string
    }>`select "from", "table" as parent, "to"
      from pragma_foreign_key_list(${name})`.execute(sqlite)
    for (const [index, given] of store[name]!.entries()) {
      const row: Record<string, unknown> = { ...given }
      for (const { from, parent, to } of references.rows) {
        const found = await sql<{
          value: string
        }>`select ${sql.ref(to)} as value from ${sql.table(parent)}`.execute(sqlite)
        row[from] = found.rows[index % found.rows.length]?.value ?? null
      }
      if (key.some((column) => row[column] === null)) continue
      await sql`insert or ignore into ${sql.table(name)} (${sql.join(columns.map((column) => sql.ref(column)))})
        values (${sql.join(columns.map((column) => row[column]))})`.execute(sqlite)
    }
  }
}

/** As PostgreSQL can hold them. */
async function rowsOf(db: Db) {
  const rows = await allRows(db as unknown as Kysely<never>)
  const entries = Object.entries(rows).map(([table, found]) => [table, found.map(rowText).toSorted()])
  return Object.fromEntries(entries)
}

function rowText(row: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(Object.entries(row).map(([column, value]) => [column, storable(value)]))
}

it('any store survives the way there and back', { timeout: 120_000 }, async () => {
  const [sqlite, postgres] = STORES
  const there = await (await postgres.make()).open()
  const [from, back] = [await (await sqlite.make()).open(), await (await sqlite.make()).open()]
  const tables = await tablesOf(from.db)
  const empty = async () => {
    for (const { db } of [from, there, back])
      for (const { name } of tables.toReversed()) await sql`delete from ${sql.table(name)}`.execute(db)
  }
  let rows = 0
  await fc.assert(
    fc.asyncProperty(await anyStore(from.db), async (store) => {
      await empty()
      await insert(from.db, tables, store)
      const moved = await moveStore({ from, to: there })
      await moveStore({ from: there, to: back })
      const expected = await rowsOf(from.db)
      expect(await rowsOf(there.db)).toEqual(expected)
      expect(await rowsOf(back.db)).toEqual(expected)
      rows += moved.reduce((sum, table) => sum + table.rows, 0)
    }),
    { numRuns: 40 },
  )
  // The generator makes rows, not only such as are left out.
  expect(rows).toBeGreaterThan(40)
})
