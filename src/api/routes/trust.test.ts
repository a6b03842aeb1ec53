import { describe, expect, it } from 'vitest'
import { DrawbridgeError } from '../../codex/index.ts'
import type { TrustDoor } from '../api-options.ts'
import type { TrustLook } from '../contract.ts'
import { errorOf, openApi } from '../fixtures/open-api.ts'

function lookWith(digest: string): TrustLook {
  return {
    trust: { state: 'untrusted', by: null, root: '/repo', hasChanged: false },
    look: { root: '/repo', top: '/repo', folder: '/repo/a', layers: [], digest },
  }
}

class StandInDoor implements TrustDoor {
  digest = 'one'
  error: Error | null = null
  readonly asked: unknown[] = []
  readonly trusted: { root: string; by: string; digest: string }[] = []

  list() {
    if (this.error) throw this.error
    return {
      folders: this.trusted.map(({ root, by }) => ({ root, by, layers: [], trustedAt: 5 })),
      codexFolders: [{ folder: '/mine', trust: 'trusted' as const }],
      protectedPaths: ['/home/me/.ssh'],
    }
  }

  look(at: { cwd: string; codexHome: string | null }) {
    this.asked.push(at)
    return at.cwd === '/nowhere' ? null : lookWith(this.digest)
  }

  trust({ root, digest }: TrustLook['look'], by: string) {
    if (this.error) throw this.error
    this.trusted.push({ root, by, digest })
    return { root, by, layers: [], trustedAt: 5 }
  }

  revoke(root: string): boolean {
    return this.trusted.some((each) => each.root === root)
  }
}

function open() {
  const door = new StandInDoor()
  const api = openApi({ trust: door })
  const post = (path: string, json: unknown, headers = {}) =>
    api.ask(`/v1/trust${path}`, { method: 'POST', json, headers })
  return { ...api, door, post }
}

describe('trust over HTTP', () => {
  it('shows whether a folder is trusted and what it would start', async () => {
    const { door, post } = open()
    const answer = await post('/look', { cwd: '/repo/a' })
    expect(await answer.json()).toEqual(lookWith('one'))
    await post('/look', { cwd: '/repo/a', codexHome: '/other/home' })
    expect(door.asked).toEqual([
      { cwd: '/repo/a', codexHome: null },
      { cwd: '/repo/a', codexHome: '/other/home' },
    ])
  })

  it('trusts what was seen, and says who did', async () => {
    const { door, post, ask } = open()
    const answer = await post('', { cwd: '/repo/a', digest: 'one' }, { 'drawbridge-actor': 'alice' })
    expect(answer.status).toBe(200)
    expect(door.trusted).toEqual([{ root: '/repo', by: 'api:alice', digest: 'one' }])
    expect(await (await ask('/v1/trust')).json()).toMatchObject({
      folders: [{ root: '/repo', by: 'api:alice' }],
      codexFolders: [{ folder: '/mine', trust: 'trusted' }],
      protectedPaths: ['/home/me/.ssh'],
    })
  })

  it('does not trust what has changed since, and shows it as it is now', async () => {
    const { door, post } = open()
    door.digest = 'two'
    expect(await errorOf(await post('', { cwd: '/repo/a', digest: 'one' }))).toMatchObject({
      status: 409,
      code: 'trust-changed',
      details: lookWith('two'),
    })
    expect(door.trusted).toEqual([])
  })

  it('takes trust back, and says when there was none', async () => {
    const { post } = open()
    await post('', { cwd: '/repo/a', digest: 'one' })
    expect((await post('/revoke', { root: '/repo' })).status).toBe(204)
    expect(await errorOf(await post('/revoke', { root: '/other' }))).toMatchObject({
      status: 404,
      code: 'not-found',
    })
  })

  it.each([
    ['/look', {}],
    ['/look', { cwd: 'relative' }],
    ['/look', { cwd: '~/x' }],
    ['/look', { cwd: '/a\0b' }],
    ['/look', { cwd: `/${'x'.repeat(5000)}` }],
    ['/look', { cwd: '/nowhere' }],
    ['/look', { cwd: '/x', codexHome: 'relative' }],
    ['', { cwd: '/repo/a' }],
    ['', { cwd: '/repo/a', digest: '' }],
    ['', { cwd: '/repo/a', digest: 'one', force: true }],
    ['/revoke', {}],
    ['/revoke', { root: '.' }],
  ])('refuses a bad request with its reason: %s %j', async (path, json) => {
    const { door, post } = open()
    expect(await errorOf(await post(path, json))).toMatchObject({ status: 400, code: 'bad-request' })
    expect(door.trusted).toEqual([])
  })

  it.each([
    ['trust-damaged', 503],
    ['trust-busy', 503],
    ['trust-unreadable', 409],
  ])('tells %s as it is', async (code, status) => {
    const { door, post } = open()
    door.error = new DrawbridgeError('so it is', { code })
    expect(await errorOf(await post('', { cwd: '/repo/a', digest: 'one' }))).toMatchObject({
      status,
      code,
      message: 'so it is',
    })
  })

  it('needs a token, and does not answer to another site', async () => {
    const { app, post, door } = open()
    const body = JSON.stringify({ cwd: '/repo/a', digest: 'one' })
    const headers = { 'content-type': 'application/json' }
    expect((await app.request('/v1/trust', { method: 'POST', body, headers })).status).toBe(401)
    const foreign = await post('', { cwd: '/repo/a', digest: 'one' }, { origin: 'https://evil.example' })
    expect(foreign.status).toBe(403)
    expect(door.trusted).toEqual([])
  })

  it('says so when this service knows nothing of it', async () => {
    expect(await errorOf(await openApi().ask('/v1/trust'))).toMatchObject({ status: 501 })
  })
})
