import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { STORES } from '../../test/support/stores.ts'
import { accountRow, borrowAccount, insertAccount } from '../store/index.ts'
import { Accounts, type AccountsOptions } from './accounts.ts'

it('does not say that a login is gone which another worker took at that moment', async () => {
  const { db } = await (await STORES[0]!.make()).open()
  await insertAccount(db, {
    ...{ id: 'a', name: 'work', kind: 'chatgpt', pools: '[]', login: 'sealed', identity: 'who' },
    ...{ reserve_percent: 0, on_limit: 'park', created_by: 'test' },
  })
  const dataDir = mkdtempSync(path.join(tmpdir(), 'drawbridge-'))
  const appServers = { running: () => [] }
  const options = { db, dataDir, holder: 'worker', appServers, now: Date.now, tell: () => {} }
  const accounts = new Accounts(options as unknown as AccountsOptions)
  const taken = async () => {
    await borrowAccount(db, { id: 'a', holder: 'other' }, { leaseMs: 60_000 })
  }
  Object.assign(accounts.appServers, { settle: async () => true, withLogin: taken })
  await expect(accounts.revoke('work')).rejects.toMatchObject({ code: 'account-busy' })
  expect(await accountRow(db, { id: 'a' })).toBeDefined()
  await expect(accounts.remove('work')).rejects.toMatchObject({ code: 'account-busy' })
})
