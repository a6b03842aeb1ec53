// Reads a table of a damaged file: everything that can be read, in the order of its row ids, around what cannot.
import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite'

export type Values = readonly SQLOutputValue[]

export interface ReadableRows {
  /** Whether nothing was in the way. Known when the rows have been read. */
  isWhole: boolean
  readonly rows: Iterable<Values>
}

/** Each damaged place costs about a hundred lookups; a table with more of them than this is given up there. */
const MAX_DAMAGED_PLACES = 5_000
const MAX_ROW_ID = 2n ** 62n

export function readableRows(
  database: DatabaseSync,
  table: string,
  columns: readonly string[],
): ReadableRows {
  const list = columns.map((column) => `"${column}"`).join(', ')
  // `not indexed`: an index may be damaged where the table is not.
  const select = database.prepare(
    `select rowid, ${list} from "${table}" not indexed where rowid >= ? order by rowid`,
  )
  select.setReadBigInts(true)
  select.setReturnArrays(true)
  const found: ReadableRows = { isWhole: true, rows: read() }
  return found

  function* read(): Generator<Values> {
    let from = 0n
    for (let places = 0; places < MAX_DAMAGED_PLACES; places++) {
      try {
        for (const row of select.iterate(from) as Iterable<unknown> as Iterable<Values>) {
          const [rowId, ...values] = row
          if ((rowId as bigint) < from) throw new Error('a damaged tree can lead in circles')
          from = (rowId as bigint) + 1n
          yield values
        }
        return
      } catch {
        found.isWhole = false
        const next = nextReadable(select, from)
        if (next === null) return
        from = next
      }
    }
  }
}

/** The smallest row id from which reading works again, near enough; null when there is none. */
function nextReadable(select: StatementSync, unreadable: bigint): bigint | null {
  let bad = unreadable
  let good: bigint | null = null
  for (let step = 1n; good === null; step *= 2n) {
    const candidate = unreadable + step
    if (candidate > MAX_ROW_ID) return null
    if (canRead(select, candidate)) good = candidate
    else bad = candidate
  }
  while (good - bad > 1n) {
    const middle: bigint = (good + bad) / 2n
    if (canRead(select, middle)) good = middle
    else bad = middle
  }
  return good
}

function canRead(select: StatementSync, from: bigint): boolean {
  try {
    select.get(from)
    return true
  } catch {
    return false
  }
}
