// The first page of an SQLite file says where the tables begin; without it nothing can be found. With incremental vacuum
// a table begins on a page that depends only on the tables made before it, so that of an empty database made by the same
// steps will do. Format: https://sqlite.org/fileformat2.html
import { open, readFile } from 'node:fs/promises'
import { PAGE_BYTES } from './sqlite-file.ts'

/** Other than the change counter, it makes SQLite believe the size of the file and not that in the header. */
const VALID_FOR = 92
const PAGE_TYPE = 100
const CELL_COUNT = 103
const LAST_CHILD = 108
const CELL_POINTERS = 112
const INTERIOR = 5

/** The rest of the schema goes to the end of the damaged file: where it was may be damaged too, or in use. */
export async function graftSchema(empty: string, damaged: string): Promise<void> {
  const source = await readFile(empty)
  const first = Buffer.from(source.subarray(0, PAGE_BYTES))
  const file = await open(damaged, 'r+')
  try {
    let pages = (await file.stat()).size / PAGE_BYTES
    for (const pointer of childPointers(first)) {
      const child = first.readUInt32BE(pointer)
      await file.write(source, (child - 1) * PAGE_BYTES, PAGE_BYTES, pages * PAGE_BYTES)
      pages++
      first.writeUInt32BE(pages, pointer)
    }
    first.writeUInt32BE(0, VALID_FOR)
    await file.write(first, 0, PAGE_BYTES, 0)
  } finally {
    await file.close()
  }
}

/** Where in the first page the numbers of further pages of the schema are. */
function childPointers(first: Buffer): number[] {
  if (first[PAGE_TYPE] !== INTERIOR) return []
  const cells = Array.from({ length: first.readUInt16BE(CELL_COUNT) }, (_, index) => index)
  return [...cells.map((index) => first.readUInt16BE(CELL_POINTERS + 2 * index)), LAST_CHILD]
}
