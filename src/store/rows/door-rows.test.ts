import { describe, expect, it } from 'vitest'
import { STORES } from '../../../test/support/stores.ts'
import type { Db } from '../db.ts'
import {
  doorLogin,
  doorLogins,
  doorTokenByHash,
  insertDoorCode,
  publishDoorToken,
  redeemDoorCode,
  removeDoorLogin,
  sweepDoors,
} from './door-rows.ts'

const DAY = 24 * 3_600_000

const publish = (db: Db, workerId: string, hash: string | null) =>
  publishDoorToken(db, { workerId, hash, newId: `${workerId} ${hash}` })

/** A login under this token. */
async function logIn(db: Db, tokenId: string, id: string, validMs = DAY): Promise<boolean> {
  await insertDoorCode(db, { hash: `code of ${id}`, tokenId, validMs: DAY })
  return redeemDoorCode(db, `code of ${id}`, { id, secret_hash: `hash of ${id}`, user_agent: null, validMs })
}

const idsOf = async (db: Db) => (await doorLogins(db)).map(({ id }) => id)

describe.each(STORES)('on $name', ({ make }) => {
  const open = async () => (await (await make()).open()).db

  it('a token keeps its row until it is replaced, and takes its logins and codes with it', async () => {
    const db = await open()
    const first = (await publish(db, 'a', 'one'))!
    expect(await publishDoorToken(db, { workerId: 'a', hash: 'one', newId: 'other' })).toBe(first)
    const other = (await publish(db, 'b', 'two'))!
    await logIn(db, first, 'of a')
    await logIn(db, other, 'of b')
    await insertDoorCode(db, { hash: 'open', tokenId: first, validMs: DAY })
    await publish(db, 'a', 'three')
    expect(await doorTokenByHash(db, { hash: 'one', exceptWorkerId: 'c' })).toBeNull()
    expect(await doorTokenByHash(db, { hash: 'three', exceptWorkerId: 'c' })).toMatchObject({ hash: 'three' })
    expect(await idsOf(db)).toEqual(['of b'])
    expect(await db.selectFrom('door_codes').selectAll().execute()).toEqual([])
    expect(await publish(db, 'a', null)).toBeNull()
    expect(await doorTokenByHash(db, { hash: 'three', exceptWorkerId: 'c' })).toBeNull()
  })

  it('a token that two workers have counts until both have another', async () => {
    const db = await open()
    await publish(db, 'a', 'same')
    await publish(db, 'b', 'same')
    expect(await doorTokenByHash(db, { hash: 'same', exceptWorkerId: 'a' })).toMatchObject({ id: 'b same' })
    await publish(db, 'a', 'new')
    expect(await doorTokenByHash(db, { hash: 'same', exceptWorkerId: 'c' })).toMatchObject({ id: 'b same' })
    expect(await doorTokenByHash(db, { hash: 'new', exceptWorkerId: 'a' })).toBeNull()
  })

  it('a code works once, in its time, under a token that is there', async () => {
    const db = await open()
    const token = (await publish(db, 'a', 'one'))!
    expect(await logIn(db, token, 'first')).toBe(true)
    const login = { secret_hash: 'x', user_agent: null, validMs: DAY }
    expect(await redeemDoorCode(db, 'code of first', { ...login, id: 'again' })).toBe(false)
    expect(await logIn(db, 'no such token', 'second')).toBe(false)
    await insertDoorCode(db, { hash: 'late', tokenId: token, validMs: 0 })
    expect(await redeemDoorCode(db, 'late', { ...login, id: 'late' })).toBe(false)
    expect(await idsOf(db)).toEqual(['first'])
  })

  it('a code is given to exactly one of those who ask at once', async () => {
    const db = await open()
    const token = (await publish(db, 'a', 'one'))!
    await insertDoorCode(db, { hash: 'code', tokenId: token, validMs: DAY })
    const asked = Array.from({ length: 8 }, (_, n) =>
      redeemDoorCode(db, 'code', { id: `${n}`, secret_hash: 'x', user_agent: null, validMs: DAY }),
    )
    expect((await Promise.all(asked)).filter(Boolean)).toHaveLength(1)
    expect(await idsOf(db)).toHaveLength(1)
  })

  it('a login ends when it is removed or has expired', async () => {
    const db = await open()
    const token = (await publish(db, 'a', 'one'))!
    await logIn(db, token, 'stays')
    await logIn(db, token, 'removed')
    await logIn(db, token, 'expired', 0)
    expect([await removeDoorLogin(db, 'removed'), await removeDoorLogin(db, 'removed')]).toEqual([
      true,
      false,
    ])
    expect([await doorLogin(db, 'expired'), await removeDoorLogin(db, 'expired')]).toEqual([null, false])
    expect(await doorLogin(db, 'stays')).toMatchObject({ token_id: token, secret_hash: 'hash of stays' })
    expect(await idsOf(db)).toEqual(['stays'])
  })

  it('the newest 200 logins and 100 codes are kept', async () => {
    const db = await open()
    const token = (await publish(db, 'a', 'one'))!
    const logins = Array.from({ length: 205 }, (_, n) => ({ id: `l${n}`, created_at: n, expires_at: 9e15 }))
    const codes = Array.from({ length: 105 }, (_, n) => ({
      hash: `c${n}`,
      expires_at: Date.now() + 3_600_000 + n,
    }))
    const shared = { token_id: token }
    for (const login of logins)
      await db
        .insertInto('door_logins')
        .values({ ...login, ...shared, secret_hash: 'x' })
        .execute()
    for (const code of codes)
      await db
        .insertInto('door_codes')
        .values({ ...code, ...shared })
        .execute()
    await logIn(db, token, 'new')
    const ids = await idsOf(db)
    expect([ids.length, ids[0], ids.at(-1)]).toEqual([200, 'l6', 'new'])
    await insertDoorCode(db, { hash: 'in its place', tokenId: token, validMs: DAY })
    const { count } = await db
      .selectFrom('door_codes')
      .select(({ fn }) => fn.countAll().as('count'))
      .executeTakeFirstOrThrow()
    expect(Number(count)).toBe(100)
  })

  it('the sweep removes tokens of workers that were not there for long, and nothing else', async () => {
    const db = await open()
    const [gone, here] = [(await publish(db, 'a', 'one'))!, (await publish(db, 'b', 'two'))!]
    await logIn(db, gone, 'of gone')
    await logIn(db, here, 'of here')
    await db.updateTable('door_tokens').set({ seen_at: 1 }).where('id', '=', gone).execute()
    const named = { id: 'named', hash: 'three', name: 'ci', created_at: 1, seen_at: 1 }
    await db.insertInto('door_tokens').values(named).execute()
    expect(await sweepDoors(db, { unseenMs: 90 * DAY })).toBe(1)
    expect(await idsOf(db)).toEqual(['of here'])
    expect(await doorTokenByHash(db, { hash: 'one', exceptWorkerId: 'c' })).toBeNull()
    expect(await doorTokenByHash(db, { hash: 'three', exceptWorkerId: 'c' })).toMatchObject({ id: 'named' })
  })
})
