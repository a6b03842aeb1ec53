import { describe, expect, it } from 'vitest'
import { RequestTimeoutError, RpcError } from '../codex/index.ts'
import { StoreError, TaskError } from '../tasks/index.ts'
import { errorOf, openApi } from './fixtures/open-api.ts'
import { APPROVAL } from './fixtures/values.ts'

const failing = async (error: unknown) => {
  const api = openApi()
  api.instead('models', () => Promise.reject(error))
  return { response: await errorOf(await api.ask('/v1/models')), errors: api.errors }
}

describe('errors', () => {
  it('of the service keep their code, message and details', async () => {
    const api = openApi()
    const settled = { ...APPROVAL, status: 'answered', actor: 'console' }
    api.instead('decide', () => {
      throw new TaskError('approval-settled', 'console answered first', { details: { approval: settled } })
    })
    const response = await api.ask('/v1/approvals/approval-1', { method: 'POST', json: { answer: 'deny' } })
    expect(await errorOf(response)).toEqual({
      status: 409,
      code: 'approval-settled',
      message: 'console answered first',
      details: { approval: settled },
    })
  })

  it.each([
    ['task-not-found', 404],
    ['bad-answer', 400],
    ['not-running', 409],
    ['idempotency-mismatch', 409],
    ['unavailable', 503],
  ] as const)('%s is %d', async (code, status) => {
    const { response } = await failing(new TaskError(code, 'why'))
    expect(response).toEqual({ status, code, message: 'why' })
  })

  it('of codex are told as such', async () => {
    const refused = await failing(new RpcError('model/list', { code: -32600, message: 'no' }))
    expect(refused.response).toMatchObject({ status: 502, code: 'rpc-error' })
    const late = await failing(new RequestTimeoutError('model/list', 5))
    expect(late.response).toMatchObject({ status: 504, code: 'request-timeout' })
  })

  it('that nobody foresaw say nothing but a request id', async () => {
    const secret = new Error('SQLITE_CORRUPT in /home/alice/.local/drawbridge.db')
    const { response, errors } = await failing(secret)
    expect(response).toMatchObject({
      status: 500,
      code: 'internal',
      details: { requestId: expect.any(String) },
    })
    expect(JSON.stringify(response)).not.toMatch(/SQLITE|alice/)
    expect(errors).toEqual([secret])
  })

  it('tell a wrong method from a wrong path', async () => {
    const api = openApi()
    const wrong = await api.ask('/v1/tasks', { method: 'PUT' })
    expect(wrong.headers.get('allow')).toBe('GET, HEAD, POST')
    expect(await errorOf(wrong)).toMatchObject({ status: 405, code: 'method-not-allowed' })
    expect(await errorOf(await api.ask('/v1/nothing'))).toMatchObject({ status: 404, code: 'not-found' })
  })
})

describe('a database that cannot be used for now', () => {
  const asPostgres = (code: string, message: string) =>
    Object.assign(new Error(message), { code, severity: 'FATAL' })

  it.each([
    [new StoreError('database-unreachable', 'cannot connect to postgres://me@db/x'), 'database-unreachable'],
    [asPostgres('57P01', 'terminating connection'), 'database-unreachable'],
    [asPostgres('53300', 'too many clients'), 'database-full'],
    [asPostgres('53100', 'no space left'), 'database-refused'],
    [asPostgres('25006', 'read-only transaction'), 'database-refused'],
    [asPostgres('57014', 'statement timeout'), 'database-refused'],
  ])('is 503 with when to try again: %s', async (error, code) => {
    const api = openApi()
    api.instead('models', () => Promise.reject(error))
    const response = await api.ask('/v1/models')
    expect(response.headers.get('retry-after')).toBe('5')
    expect(await errorOf(response)).toMatchObject({ status: 503, code })
    expect(api.errors).toEqual([])
  })

  it('that refuses a statement of ours is a mistake of ours', async () => {
    const { response, errors } = await failing(asPostgres('42703', 'column does not exist'))
    expect(response).toMatchObject({ status: 500, code: 'internal' })
    expect(errors).toHaveLength(1)
  })

  it('is told by /healthz, without where it is', async () => {
    let isReady = false
    const { app } = openApi({ isReady: async () => isReady })
    const response = await app.request('/healthz')
    expect(await errorOf(response)).toEqual({
      status: 503,
      code: 'database-unreachable',
      message: 'the database cannot be reached',
    })
    isReady = true
    expect(await (await app.request('/healthz')).json()).toEqual({ status: 'ok' })
  })
})
