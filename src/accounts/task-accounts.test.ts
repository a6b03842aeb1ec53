import { expect, it } from 'vitest'
import { STORES } from '../../test/support/stores.ts'
import { insertAccount, updateAccount } from '../store/index.ts'
import { type LendingParts, LentAccounts } from './task-accounts.ts'

it('lends an account that was taken out of a pool to no task of a token for that pool', async () => {
  const { db } = await (await STORES[0]!.make()).open()
  await insertAccount(db, {
    ...{ id: 'a', name: 'work', kind: 'chatgpt', pools: '["team"]', login: 'sealed', identity: 'who' },
    ...{ reserve_percent: 0, on_limit: 'park', created_by: 'test' },
  })
  const parts = {
    ...{ db, holder: 'worker', now: Date.now, heard: { stored: async () => {} } },
    appServers: { homeOf: () => ({ path: '/home/a' }) },
  }
  const accounts = new LentAccounts(parts as unknown as LendingParts)
  const task = {
    ...{ id: 't', account: 'pool:team', accountId: 'a', threadId: 'thread', codexHome: '/home/a' },
    ...{ onLimit: null, model: null, isOfToken: true },
  }
  expect(await accounts.borrow(task)).toMatchObject({ name: 'work' })
  await updateAccount(db, 'a', { pools: '[]' })
  await expect(accounts.borrow(task)).rejects.toMatchObject({ code: 'account-busy' })
  expect(await accounts.borrow({ ...task, isOfToken: false })).toMatchObject({ name: 'work' })
})
