import { StoreError } from '../store-errors.ts'

export interface Page<T> {
  readonly items: readonly T[]
  /** For the next page; null on the last. */
  readonly cursor: string | null
}

/** A place in a list that is ordered by time and id. */
export interface Place {
  readonly at: number
  readonly id: string
}

function writeCursor({ at, id }: Place): string {
  return Buffer.from(`${at} ${id}`).toString('base64url')
}

export function readCursor(cursor: string | undefined): Place | null {
  if (cursor === undefined) return null
  const [, at, id] = /^(\d{1,16}) (\S{1,100})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (!at || !id)
    throw new StoreError('bad-request', 'the cursor is not one of ours: leave it out to start at the top')
  return { at: Number(at), id }
}

/** One row more than a page holds has been read, to know whether there is another page. */
export function pageOf<Row>(
  rows: readonly Row[],
  limit: number,
  place: (row: Row) => Place,
): { items: Row[]; cursor: string | null } {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, cursor: rows.length > limit && last !== undefined ? writeCursor(place(last)) : null }
}

/** The same page with its rows made into something else. */
export function mapPage<Row, T>({ items, cursor }: Page<Row>, map: (row: Row) => T): Page<T> {
  return { items: items.map(map), cursor }
}

export function pageLimit(
  limit: number | undefined,
  { usual, most }: { usual: number; most: number },
): number {
  if (limit === undefined) return usual
  return Math.min(Math.max(Math.trunc(limit) || usual, 1), most)
}
