import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { STORES } from '../../../test/support/stores.ts'
import { readInteger } from './values.ts'

it('an integer that is too large for a number is refused, not rounded', async () => {
  expect(readInteger('-9007199254740991')).toBe(Number.MIN_SAFE_INTEGER)
  const { db } = await (await STORES[1].make()).open()
  await expect(sql`select 9007199254740993::bigint as large`.execute(db)).rejects.toThrow('no safe integer')
  expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }])
})
