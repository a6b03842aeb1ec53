import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../../test/support/stores.ts'
import type { Db } from '../db.ts'
import {
  accountRow,
  borrowAccount,
  deleteAccount,
  insertAccount,
  renewAccount,
  replaceLogin,
  returnAccount,
  saveLogin,
  updateAccount,
} from './account-rows.ts'

const LEASE = { leaseMs: 60_000 }
const A = { id: 'a', holder: 'worker-a' }
const B = { id: 'a', holder: 'worker-b' }
const NEW = {
  ...{ id: 'a', name: 'work', kind: 'chatgpt', pools: '[]', login: 'sealed', identity: 'who' },
  ...{ reserve_percent: 0, on_limit: 'park', created_by: 'test' },
}

describe.each(STORES)('an account on $name', ({ make }) => {
  async function opened(): Promise<Db> {
    const { db } = await (await make()).open()
    await insertAccount(db, NEW)
    return db
  }
  const expire = (db: Db) => sql`update accounts set lease_until = 1`.execute(db)

  it('is changed for the login that it is about, and no later one', async () => {
    const db = await opened()
    const dead = { state: 'dead', state_reason: '{}' }
    expect(await updateAccount(db, 'a', dead, { version: 2 })).toBeNull()
    expect(await accountRow(db, { id: 'a' })).toMatchObject({ state: 'active' })
    expect(await updateAccount(db, 'a', dead, { version: 1 })).toMatchObject({ state: 'dead' })
  })

  it('has a name and a login of its own', async () => {
    const db = await opened()
    expect(await insertAccount(db, { ...NEW, id: 'b', identity: 'other' })).toBeNull()
    expect(await insertAccount(db, { ...NEW, id: 'b', name: 'other' })).toBeNull()
    expect(await accountRow(db, { name: 'work' })).toMatchObject({
      id: 'a',
      state: 'active',
      login_version: 1,
    })
  })

  it('is lent to one worker at a time, with a generation that grows', async () => {
    const db = await opened()
    const all = await Promise.all([borrowAccount(db, A, LEASE), borrowAccount(db, B, LEASE)])
    expect(all.filter((lease) => lease !== null)).toHaveLength(1)
    await sql`update accounts set lease_holder = null`.execute(db)
    expect((await borrowAccount(db, A, LEASE))?.account.lease_generation).toBe(2)
    expect(await borrowAccount(db, B, LEASE)).toBeNull()
    // After a restart it is still the worker's own.
    expect((await borrowAccount(db, A, LEASE))?.account.lease_generation).toBe(3)
    expect(await renewAccount(db, { ...A, generation: 2 }, LEASE)).toBeNull()
    expect(await renewAccount(db, { ...A, generation: 3 }, LEASE)).not.toBeNull()
  })

  it('that was silent too long is lent to another, and its old holder can neither renew, save nor return', async () => {
    const db = await opened()
    await borrowAccount(db, A, LEASE)
    await expire(db)
    // Nobody took it: its holder may go on.
    expect(await renewAccount(db, { ...A, generation: 1 }, LEASE)).not.toBeNull()
    await expire(db)
    expect((await borrowAccount(db, B, LEASE))?.account.lease_generation).toBe(2)
    const old = { ...A, generation: 1 }
    expect(await renewAccount(db, old, LEASE)).toBeNull()
    expect(await saveLogin(db, old, { login: 'stale', version: 1 })).toBe(false)
    expect(await returnAccount(db, old)).toBe(false)
    expect(await accountRow(db, { id: 'a' })).toMatchObject({ login: 'sealed', lease_holder: 'worker-b' })
  })

  it('takes a login only over the version it came from', async () => {
    const db = await opened()
    await borrowAccount(db, A, LEASE)
    const own = { ...A, generation: 1 }
    expect(await saveLogin(db, own, { login: 'second', version: 1 })).toBe(true)
    expect(await saveLogin(db, own, { login: 'again', version: 1 })).toBe(false)
    expect(await accountRow(db, { id: 'a' })).toMatchObject({ login: 'second', login_version: 2 })
  })

  it('gets a new login from a person only while no other worker has it, and its old holder has lost it then', async () => {
    const db = await opened()
    await borrowAccount(db, B, LEASE)
    const columns = { login: 'new', kind: 'chatgpt', identity: 'who' }
    expect(await replaceLogin(db, { ...A, version: 1 }, columns)).toBe(false)
    await expire(db)
    expect(await replaceLogin(db, { ...A, version: 1 }, columns)).toBe(true)
    expect(await saveLogin(db, { ...B, generation: 1 }, { login: 'stale', version: 2 })).toBe(false)
  })

  it('is not deleted while it is in use', async () => {
    const db = await opened()
    await borrowAccount(db, A, LEASE)
    expect(await deleteAccount(db, { id: 'a', holder: 'another' })).toBe(false)
    await returnAccount(db, { ...A, generation: 1 })
    expect(await updateAccount(db, 'a', {})).toMatchObject({ lease_holder: null })
    expect(await deleteAccount(db, { id: 'a', holder: 'another' })).toBe(true)
  })
})
