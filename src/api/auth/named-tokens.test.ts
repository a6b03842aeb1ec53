// Named tokens, in both stores.
import { describe, expect, it } from 'vitest'
import { STORES } from '../../../test/support/stores.ts'
import { tokenRows } from '../../cli/serve/token-rows.ts'
import { redact } from '../../codex/index.ts'
import type { Db } from '../../store/index.ts'
import { NamedTokens } from './named-tokens.ts'

const attempt = { count: () => undefined }
const BY = { by: 'api:alice' }

describe.each(STORES)('on $name', ({ make }) => {
  async function open() {
    const { db } = await (await make()).open()
    let now = Date.now()
    const door = () =>
      new NamedTokens({ rows: tokenRows(db), now: () => now, onError: () => expect.unreachable() })
    const pass = (ms: number) => {
      now += ms
    }
    return { db, tokens: door(), door, pass }
  }
  const set = (db: Db, change: object) => db.updateTable('tokens').set(change).execute()

  it('keeps a digest, shows the secret once, and knows what it may do', async () => {
    const { db, tokens } = await open()
    const { token, secret } = await tokens.add({ name: 'ci', ceiling: { folders: ['/src'] } }, BY)
    expect(token).toMatchObject({ name: 'ci', createdBy: 'api:alice', usedAt: null, state: 'valid' })
    const scope = {
      tasks: 'own',
      may: ['read', 'start'],
      ceiling: { sandbox: 'read-only', preset: 'ask-all', network: false, folders: ['/src'] },
    }
    expect(token.scope).toEqual(scope)
    expect(await tokens.find(secret, attempt)).toEqual({ tokenId: token.id, name: 'ci', ...scope })
    expect(await tokens.named('ci')).toMatchObject({ tokenId: token.id })
    const rows = await db.selectFrom('tokens').selectAll().execute()
    expect(JSON.stringify([rows, await tokens.list()])).not.toContain(secret.slice(4))
    expect(redact(`it is ${secret}`)).not.toContain(secret)
    await expect.poll(async () => (await tokens.list())[0]?.usedAt).toEqual(expect.any(Number))
  })

  it('takes nothing that is only like one', async () => {
    const { tokens } = await open()
    const { secret, token } = await tokens.add({ name: 'ci' }, BY)
    const counted: string[] = []
    const counting = { count: () => void counted.push('') }
    for (const given of [
      '',
      'ci',
      token.id,
      secret.slice(4),
      secret.toUpperCase(),
      `${secret}x`,
      secret.slice(0, -1),
    ])
      expect([given, await tokens.find(given, counting)]).toEqual([given, null])
    // What cannot be one is not looked for.
    expect(counted).toEqual([])
    expect(
      await tokens.find(`${secret.slice(0, -1)}${secret.endsWith('A') ? 'B' : 'A'}`, counting),
    ).toBeNull()
    expect(counted).toHaveLength(1)
    expect(await tokens.named('other')).toBeNull()
  })

  it('is revoked at once at its door, and soon at another', async () => {
    const { tokens, door, pass } = await open()
    const { secret, token } = await tokens.add({ name: 'ci' }, BY)
    const other = door()
    expect(await other.find(secret, attempt)).not.toBeNull()
    expect(await tokens.check(token.id)).toBe('valid')
    expect(await tokens.revoke('ci', { by: 'console' })).toMatchObject({
      id: token.id,
      state: 'revoked',
      revokedBy: 'console',
    })
    expect(await tokens.find(secret, attempt)).toBeNull()
    expect(await tokens.named('ci')).toBeNull()
    expect([await tokens.check(token.id), await other.check(token.id)]).toEqual(['revoked', 'revoked'])
    pass(1000)
    expect(await other.find(secret, attempt)).toBeNull()
    expect(await tokens.revoke('ci', BY)).toBeNull()
    expect(await tokens.revoke(token.id, BY)).toBeNull()
  })

  it('gives a name to one token at a time, also to those who ask at once', async () => {
    const { tokens } = await open()
    const all = await Promise.allSettled([1, 2, 3].map(() => tokens.add({ name: 'ci' }, BY)))
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(all.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'name-taken' } })
    const first = (await tokens.list())[0]!
    await tokens.revoke('ci', BY)
    const { token } = await tokens.add({ name: 'ci' }, BY)
    expect(token.id).not.toBe(first.id)
    expect((await tokens.list()).map(({ state }) => state).sort()).toEqual(['revoked', 'valid'])
  })

  it('ends when it has expired', async () => {
    const { db, tokens, pass } = await open()
    await expect(tokens.add({ name: 'old', expiresAt: 1000 }, BY)).rejects.toMatchObject({
      code: 'bad-request',
    })
    const { secret, token } = await tokens.add({ name: 'ci', expiresAt: Date.now() + 60_000 }, BY)
    expect(await tokens.find(secret, attempt)).not.toBeNull()
    await set(db, { expires_at: Date.now() - 1 })
    pass(1000)
    expect(await tokens.find(secret, attempt)).toBeNull()
    expect(await tokens.named('ci')).toBeNull()
    expect(await tokens.check(token.id)).toBe('revoked')
    expect(await tokens.list()).toMatchObject([{ state: 'expired' }])
  })

  it.each(['', '{}', 'null', '{"tasks":"own","may":["read"],"ceiling":{},"more":1}'])(
    'does not count when what it may do is not understood: %s',
    async (scope) => {
      const { db, tokens } = await open()
      const { secret } = await tokens.add({ name: 'ci' }, BY)
      await set(db, { scope })
      expect(await tokens.find(secret, attempt)).toBeNull()
      expect(await tokens.named('ci')).toBeNull()
      expect(await tokens.list()).toMatchObject([{ state: 'unreadable', scope: null }])
    },
  )
})
