import { describe, expect, it } from 'vitest'
import { STORES } from '../../../test/support/stores.ts'
import { tokenRows } from '../../cli/serve/token-rows.ts'
import type { FilesDoor } from '../api-options.ts'
import { DoorError } from '../door-error.ts'
import { errorOf, openApi } from '../fixtures/open-api.ts'
import { TASK } from '../fixtures/values.ts'

const none = async (): Promise<never> => {
  throw new DoorError('not-found', 'there is no file')
}
const NO_FILES: FilesDoor = {
  limits: { maxFileBytes: 1, maxFiles: 1, maxTaskBytes: 1, types: null },
  ...{ list: none, open: none, receive: none, forget: none, takeBack: none },
}

const ALL = ['read', 'start', 'answer', 'answer-own']

async function open() {
  const { db } = await (await STORES[0].make()).open()
  const api = openApi({ tokens: tokenRows(db), files: NO_FILES })
  const add = async (token: object) => {
    const answer = await api.ask('/v1/tokens', { method: 'POST', json: token })
    return (await answer.json()) as { token: { id: string }; secret: string }
  }
  const asToken =
    (secret: string) =>
    (path: string, init: RequestInit & { json?: unknown } = {}) => {
      const { json, ...rest } = init
      const headers = new Headers(init.headers)
      headers.set('authorization', `Bearer ${secret}`)
      if (json !== undefined) headers.set('content-type', 'application/json')
      const body = json === undefined ? {} : { body: JSON.stringify(json) }
      return api.app.request(path, { ...rest, headers, ...body })
    }
  return { ...api, add, asToken }
}

describe('the routes of tokens', () => {
  it('make, list and revoke', async () => {
    const { ask, asToken, add } = await open()
    const { token, secret } = await add({ name: 'ci', may: ['read'], ceiling: { folders: ['/src'] } })
    expect(token).toMatchObject({ name: 'ci', createdBy: 'api', state: 'valid' })
    expect((await asToken(secret)('/v1/status')).status).toBe(200)
    expect(await (await ask('/v1/tokens')).json()).toMatchObject({ items: [{ name: 'ci' }] })
    expect(await errorOf(await ask('/v1/tokens', { method: 'POST', json: { name: 'ci' } }))).toMatchObject({
      status: 409,
      code: 'name-taken',
    })
    const revoked = await ask('/v1/tokens/ci', { method: 'DELETE' })
    expect(await revoked.json()).toMatchObject({ name: 'ci', state: 'revoked', revokedBy: 'api' })
    expect((await asToken(secret)('/v1/status')).status).toBe(401)
    expect((await ask('/v1/tokens/ci', { method: 'DELETE' })).status).toBe(404)
  })

  it('let a token that may not see tasks know what it may do', async () => {
    const { asToken, add } = await open()
    const { secret } = await add({ name: 'ci', may: ['start'] })
    const answer = await asToken(secret)('/v1/status')
    expect(await answer.json()).toMatchObject({ actor: 'token:ci', counts: null, grant: { may: ['start'] } })
  })

  it.each([
    {},
    { name: '' },
    { name: 'Upper' },
    { name: 'a b' },
    { name: '-a' },
    { name: 'x'.repeat(41) },
    { name: 'ci', may: [] },
    { name: 'ci', may: ['everything'] },
    { name: 'ci', tasks: 'some' },
    { name: 'ci', ceiling: { folders: ['relative'] } },
    { name: 'ci', ceiling: { folders: [] } },
    { name: 'ci', ceiling: { sandbox: 'none' } },
    { name: 'ci', ceiling: { more: 1 } },
    { name: 'ci', expiresAt: 1 },
    { name: 'ci', owner: true },
  ])('refuse %j', async (json) => {
    const { ask } = await open()
    expect(await errorOf(await ask('/v1/tokens', { method: 'POST', json }))).toMatchObject({
      status: 400,
      code: 'bad-request',
    })
    expect(await (await ask('/v1/tokens')).json()).toEqual({ items: [] })
  })

  it('let a browser look and revoke, but not make one', async () => {
    const { ask, app, add } = await open()
    await add({ name: 'ci' })
    const { url } = (await (await ask('/v1/login-links', { method: 'POST' })).json()) as { url: string }
    const { pathname, search } = new URL(url)
    const cookie = (await app.request(`${pathname}${search}`)).headers.get('set-cookie')!.split(';')[0]!
    const browse = (path: string, init: RequestInit = {}) =>
      app.request(path, { ...init, headers: { cookie, 'content-type': 'application/json' } })
    expect((await browse('/v1/tokens')).status).toBe(200)
    const made = await browse('/v1/tokens', { method: 'POST', body: '{"name":"more"}' })
    expect(await errorOf(made)).toMatchObject({ status: 403, code: 'token-required' })
    const acting = await app.request('/v1/status', { headers: { cookie, 'drawbridge-as': 'ci' } })
    expect(await errorOf(acting)).toMatchObject({ status: 403, code: 'not-permitted' })
    const revoked = await browse('/v1/tokens/ci', { method: 'DELETE' })
    expect(await revoked.json()).toMatchObject({ revokedBy: 'console' })
  })

  it('say so where tokens are not kept', async () => {
    expect(await errorOf(await openApi().ask('/v1/tokens'))).toMatchObject({ status: 501 })
  })
})

/** What a token with all rights may ask for. Whatever else there is, now or later, is the owner's. */
const FOR_TOKENS = [
  'GET /v1/approvals',
  'GET /v1/approvals/{id}',
  'GET /v1/audit',
  'GET /v1/models',
  'GET /v1/notices',
  'GET /v1/status',
  'GET /v1/stream',
  'GET /v1/tasks',
  'GET /v1/tasks/counts',
  'GET /v1/tasks/{id}',
  'GET /v1/tasks/{id}/caller-messages',
  'GET /v1/tasks/{id}/deliverables',
  'GET /v1/tasks/{id}/deliverables/{number}/content',
  'GET /v1/tasks/{id}/detail',
  'GET /v1/tasks/{id}/events',
  'GET /v1/tasks/{id}/events/stream',
  'GET /v1/tasks/{id}/events/{seq}',
  'GET /v1/tasks/{id}/files',
  'GET /v1/tasks/{id}/files/content',
  'GET /v1/tasks/{id}/uploads',
  'GET /v1/usage',
  'PATCH /v1/tasks/{id}',
  'POST /v1/approvals/{id}',
  'POST /v1/tasks',
  'POST /v1/tasks/{id}/caller-messages/{messageId}/answer',
  'POST /v1/tasks/{id}/deliverables/{number}/answer',
  'POST /v1/tasks/{id}/fork',
  'POST /v1/tasks/{id}/interrupt',
  'POST /v1/tasks/{id}/resume',
  'POST /v1/tasks/{id}/seen',
  'POST /v1/tasks/{id}/steer',
  'POST /v1/tasks/{id}/turns',
  'POST /v1/tasks/{id}/uploads',
  'POST /v1/tasks/{id}/wait',
  'DELETE /v1/tasks/{id}/messages/{messageId}',
  'DELETE /v1/tasks/{id}/uploads/{uploadId}',
]

const BODIES: Readonly<Record<string, object>> = {
  'POST /v1/tasks': { prompt: 'x', cwd: '/repo' },
  'PATCH /v1/tasks/{id}': { title: 'x' },
  'POST /v1/tasks/{id}/turns': { input: 'x' },
  'POST /v1/tasks/{id}/steer': { input: 'x' },
  'POST /v1/approvals/{id}': { answer: 'deny' },
  'POST /v1/tasks/{id}/deliverables/{number}/answer': { verdict: 'accepted' },
  'POST /v1/tasks/{id}/caller-messages/{messageId}/answer': { value: 1 },
  'POST /v1/rules': { text: 'allow command ls' },
  'POST /v1/rules/check': { command: 'ls', cwd: '/repo' },
  'POST /v1/trust': { cwd: '/repo', digest: 'x' },
  'POST /v1/trust/look': { cwd: '/repo' },
  'POST /v1/trust/revoke': { root: '/repo' },
  'POST /v1/account/login': { type: 'chatgptDeviceCode' },
  'POST /v1/tokens': { name: 'more' },
  'POST /v1/hosts': { name: 'box', destination: 'box' },
  'POST /v1/terminals': { cwd: '/repo' },
  'POST /v1/tasks/{id}/commit': { message: 'x' },
  'POST /v1/tasks/{id}/apply': { method: 'merge' },
  'POST /v1/accounts': { name: 'more', login: { type: 'apiKey', apiKey: 'sk-more' } },
  'POST /v1/account-logins': { name: 'more' },
  'PATCH /v1/accounts/{name}': { state: 'disabled' },
  'PATCH /v1/account-pools/{name}': { billing: 'any' },
  'POST /v1/accounts/{name}/revoke': { confirm: 'approval-1' },
}

it('a token reaches these routes and no other', async () => {
  const { add, asToken, ask, instead } = await open()
  const { secret, token } = await add({ name: 'ci', tasks: 'all', may: ALL })
  const request = asToken(secret)
  const { paths } = (await (await ask('/openapi.json')).json()) as {
    paths: Record<string, Record<string, unknown>>
  }
  const reached: string[] = []
  for (const [path, methods] of Object.entries(paths))
    for (const name of Object.keys(methods)) {
      const route = `${name.toUpperCase()} ${path}`
      if (path === '/healthz') continue
      // To change a task it must be its own.
      const mine = { ...TASK, createdBy: { tokenId: token.id, name: 'ci' } }
      instead('get', async () => mine)
      const place = path
        .replace('/tasks/{id}', `/tasks/${TASK.id}`)
        .replace(/\{seq\}|\{number\}/, '1')
        .replace(/\{\w+\}/g, 'approval-1')
      const query = /usage|audit|notices$/.test(path) ? `?taskId=${TASK.id}` : '?path=a.txt'
      const json = BODIES[route]
      const answer = await request(`${place}${query}`, {
        method: name.toUpperCase(),
        ...(json && { json }),
        ...(route === 'POST /v1/tasks/{id}/uploads' && { body: new FormData() }),
      })
      await answer.body?.cancel()
      if (answer.status < 400 || answer.status === 404) reached.push(route)
      else expect([route, answer.status]).toEqual([route, 403])
    }
  expect(reached.sort()).toEqual([...FOR_TOKENS].sort())
})

describe('the owner acting as a token', () => {
  it('has its name, its limits and no more', async () => {
    const { ask, add, calls } = await open()
    const { token } = await add({ name: 'mcp' })
    const headers = { 'drawbridge-as': 'mcp', 'drawbridge-actor': 'alice' }
    const status = await (await ask('/v1/status', { headers })).json()
    expect(status).toMatchObject({ actor: 'token:mcp', grant: { tokenId: token.id }, database: null })
    await ask('/v1/tasks', { headers, method: 'POST', json: { prompt: 'x', cwd: '/repo' } })
    expect(calls.find(([name]) => name === 'start')?.[2]).toMatchObject({
      actor: 'token:mcp',
      grant: { name: 'mcp' },
    })
    expect((await ask('/v1/shutdown', { headers, method: 'POST' })).status).toBe(403)
    expect((await ask('/v1/login-links', { headers, method: 'POST' })).status).toBe(403)
  })

  it('needs a token that is there, and no other token is enough', async () => {
    const { ask, add, asToken } = await open()
    const { secret } = await add({ name: 'one' })
    await add({ name: 'two' })
    for (const name of ['', 'nobody', 'One', '../one'])
      expect(await errorOf(await ask('/v1/status', { headers: { 'drawbridge-as': name } }))).toMatchObject({
        status: 403,
        code: 'not-permitted',
      })
    const as = (name: string) => asToken(secret)('/v1/status', { headers: { 'drawbridge-as': name } })
    expect((await as('one')).status).toBe(200)
    expect((await as('two')).status).toBe(403)
    const wrong = { authorization: 'Bearer wrong', 'drawbridge-as': 'one' }
    expect((await asToken('wrong')('/v1/status', { headers: wrong })).status).toBe(401)
  })
})
