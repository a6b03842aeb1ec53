import { describe, expect, it } from 'vitest'
import { RpcError } from '../../codex/index.ts'
import { TaskError } from '../../tasks/index.ts'
import * as contract from '../contract.ts'
import { errorOf, openApi } from '../fixtures/open-api.ts'
import { ACCOUNT_LOGIN } from '../fixtures/values.ts'

const KEY = 'sk-test-0123456789abcdef'
const login = { method: 'POST', json: { type: 'chatgptDeviceCode' } }
const withKey = (json: object = {}) => ({ method: 'POST', json: { type: 'apiKey', apiKey: KEY, ...json } })

describe('the account', () => {
  it('is as codex tells it', async () => {
    const api = openApi()
    const account = await (await api.ask('/v1/account')).json()
    expect(account).toEqual({ account: null, requiresOpenaiAuth: true, rateLimits: null })
    expect(api.calls).toEqual([['read']])
  })

  it('is logged in by a code, watched, and the login taken back', async () => {
    const api = openApi()
    const started = await (await api.ask('/v1/account/login', login)).json()
    expect(contract.AccountLogin.parse(started)).toEqual(ACCOUNT_LOGIN)
    expect(await (await api.ask('/v1/account/login')).json()).toEqual(ACCOUNT_LOGIN)
    const taken = await api.ask('/v1/account/login/login-1', { method: 'DELETE' })
    expect(await taken.json()).toEqual({ status: 'none' })
    expect(api.calls).toEqual([
      ['startLogin', { type: 'chatgptDeviceCode' }],
      ['cancelLogin', 'login-1'],
    ])
  })

  it('is logged out', async () => {
    const api = openApi()
    expect((await api.ask('/v1/account/logout', { method: 'POST' })).status).toBe(204)
    expect(api.calls).toEqual([['logout']])
  })

  it('has no login that is not pending', async () => {
    const api = openApi()
    api.instead('cancelLogin', () => null)
    const response = await api.ask('/v1/account/login/other', { method: 'DELETE' })
    expect(await errorOf(response)).toMatchObject({ status: 404, code: 'not-found' })
  })

  it('says with which command it can be done where codex cannot', async () => {
    const api = openApi()
    const command = 'drawbridge login --key'
    api.instead('startLogin', () => {
      throw new TaskError('not-supported', 'this login is not possible', { details: { command } })
    })
    const refused = await errorOf(await api.ask('/v1/account/login', login))
    expect(refused).toMatchObject({ status: 501, code: 'not-supported', details: { command } })
  })

  it('says what codex said when no code could be had', async () => {
    const api = openApi()
    api.instead('startLogin', () => {
      throw new RpcError('account/login/start', { code: -32603, message: 'failed to request device code' })
    })
    const refused = await errorOf(await api.ask('/v1/account/login', login))
    expect(refused).toMatchObject({ status: 502, code: 'rpc-error' })
    expect(refused.message).toContain('failed to request device code')
  })

  it('is unknown to a service that does not offer it', async () => {
    const { service } = openApi()
    const { account: _, ...without } = service
    const response = await openApi({ service: without }).ask('/v1/account')
    expect(await errorOf(response)).toMatchObject({ status: 501, code: 'not-supported' })
  })
})

describe('a key', () => {
  it('is handed on without the spaces around it, and not repeated', async () => {
    const api = openApi()
    api.instead('startLogin', () => ({ status: 'succeeded', endedAt: 1 }))
    const response = await api.ask('/v1/account/login', withKey({ apiKey: ` ${KEY}\n` }))
    expect(await response.text()).toBe('{"status":"succeeded","endedAt":1}')
    expect(api.calls).toEqual([['startLogin', { type: 'apiKey', apiKey: KEY }]])
  })

  it.each([{ more: 1 }, { type: 'chatgptDeviceCode' }, { type: 'other' }, { apiKey: KEY.repeat(100) }])(
    'in a request that is not valid is not repeated: %j',
    async (json) => {
      const api = openApi()
      const response = await api.ask('/v1/account/login', withKey(json))
      expect(response.status).toBe(400)
      expect(await response.text()).not.toContain('sk-test')
      expect([api.calls, api.errors]).toEqual([[], []])
    },
  )
})
