import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { TaskError } from '../../tasks/index.ts'
import { serve, type TestServer } from '../fixtures/serve.ts'
import { ACCOUNT_LOGIN, APPROVAL, TASK } from '../fixtures/values.ts'
import { ApiError } from './api-error.ts'
import { connect, type DrawbridgeClient } from './client.ts'

const caller = { actor: 'api:cli:alice' }

async function served(): Promise<{ server: TestServer; client: DrawbridgeClient }> {
  const server = await serve()
  return { server, client: connect({ url: server.url, token: server.token, actor: 'cli:alice' }) }
}

describe('the client', () => {
  it('asks for everything the service can do', async () => {
    const { server, client } = await served()
    const { tasks } = client
    await tasks.start({ prompt: 'hi', cwd: '/repo' }, { key: 'k' })
    await tasks.list({ status: ['working', 'idle'], labels: ['a'], archived: true, limit: 2 })
    await tasks.change('task-1', { title: 'new' })
    await tasks.send('task-1', { input: 'a' }, { key: 'm1' })
    await tasks.steer('task-1', { input: 'b' })
    await tasks.cancelMessage('task-1', 'message-1')
    await tasks.interrupt('task-1', { children: true })
    await tasks.fork('task-1', { title: 'other' })
    await tasks.resume('task-1')
    await tasks.delete('task-1')
    await client.approvals({ status: 'pending' })
    await client.answer('approval-1', { answer: 'once' })
    await client.audit({ taskId: 'task-1' })
    await client.rules({ revoked: true })
    await client.addRule({ text: 'allow command ls' })
    await client.revokeRule('rule/1')
    await client.notices({ status: 'dead' })
    await client.retryNotice('notice-1')
    await client.workers()
    await client.drainWorker('worker/1')
    await client.undrainWorker('worker/1')
    await client.usage({ days: 7, timeZone: 'Asia/Tokyo' })
    await client.account.read()
    await client.account.startLogin({ type: 'chatgptDeviceCode' })
    await client.account.cancelLogin('login/1')
    await client.account.logout()
    expect(server.calls).toEqual([
      ['start', { prompt: 'hi', cwd: '/repo', idempotencyKey: 'k' }, caller],
      ['list', { status: ['working', 'idle'], labels: ['a'], archived: true, limit: 2 }],
      ['change', 'task-1', { title: 'new' }, caller],
      ['send', 'task-1', { input: 'a', mode: 'queue', clientMessageId: 'm1' }, caller],
      ['send', 'task-1', { input: 'b', mode: 'steer', clientMessageId: undefined }, caller],
      ['cancelMessage', 'task-1', 'message-1', caller],
      ['interrupt', 'task-1', caller, { children: true }],
      ['fork', 'task-1', { title: 'other' }, caller],
      ['resume', 'task-1', {}, caller],
      ['delete', 'task-1', caller],
      ['approvals', { status: 'pending' }],
      ['decide', 'approval-1', { answer: 'once' }, caller],
      ['audit', { taskId: 'task-1' }],
      ['rules', { revoked: true }],
      ['addRule', { text: 'allow command ls' }, caller],
      ['revokeRule', 'rule/1', caller],
      ['notices', { status: 'dead' }],
      ['retryNotice', 'notice-1', caller],
      ['workers'],
      ['drainWorker', 'worker/1', { isDraining: true }, caller],
      ['drainWorker', 'worker/1', { isDraining: false }, caller],
      ['usage', { days: 7, timeZone: 'Asia/Tokyo' }],
      ['read'],
      ['startLogin', { type: 'chatgptDeviceCode' }],
      ['cancelLogin', 'login/1'],
      ['logout'],
    ])
  })

  it('gives what the service gives', async () => {
    const { server, client } = await served()
    server.log.append('{"method":"a","params":{}}')
    expect(await client.tasks.get('task-1')).toEqual({ ...TASK, lastSeq: 1 })
    expect(await client.approval('approval-1')).toEqual(APPROVAL)
    expect(await client.tasks.show('task-1')).toMatchObject({
      task: TASK,
      events: [{ seq: 1, event: { method: 'a' } }],
    })
    expect(await client.tasks.events('task-1', { after: 0 })).toMatchObject({
      hasMore: false,
      events: [{ seq: 1 }],
    })
    expect(await client.tasks.wholeEvent('task-1', 1)).toEqual({ method: 'a', params: {} })
    expect(await client.status()).toMatchObject({ actor: 'api:cli:alice', counts: { openApprovals: 1 } })
    expect(await client.hosts()).toHaveLength(1)
    expect(await client.models()).toEqual([{ id: 'gpt' }])
    expect(await client.account.login()).toEqual(ACCOUNT_LOGIN)
    expect(await client.metrics()).toContain('drawbridge_tasks')
    expect(await client.checkRules({ command: 'npm test', cwd: '/' })).toMatchObject({ answer: 'allow' })
    expect(await client.isUp()).toBe(true)
  })

  it('lets a browser in, sees it, and lets it out', async () => {
    const { client } = await served()
    await fetch((await client.makeLoginLink()).url, { redirect: 'manual' })
    const [login] = await client.logins()
    await client.revokeLogin(login!.id)
    expect(await client.logins()).toEqual([])
  })

  it('throws a refusal with its code, status and details', async () => {
    const { server, client } = await served()
    server.instead('decide', () => {
      throw new TaskError('approval-settled', 'too late', { details: { approval: { actor: 'console' } } })
    })
    const refused = client.answer('approval-1', { answer: 'deny' })
    await expect(refused).rejects.toBeInstanceOf(ApiError)
    await expect(refused).rejects.toMatchObject({
      code: 'approval-settled',
      status: 409,
      message: 'too late',
      retryable: false,
      details: { approval: { actor: 'console' } },
    })
  })

  it('says that nothing is there, that it took too long, or that something else answered', async () => {
    const { server, client } = await served()
    server.instead('models', () => new Promise(() => undefined))
    const impatient = connect({ url: server.url, token: server.token, timeoutMs: 50 })
    await expect(impatient.models()).rejects.toMatchObject({ code: 'timeout', status: 0, retryable: true })
    await server.close()
    await expect(client.models()).rejects.toMatchObject({ code: 'unreachable', status: 0, retryable: true })
    expect(await client.isUp()).toBe(false)
    const html = () => Promise.resolve(new Response('<html>', { status: 404 }))
    const other = connect({ url: server.url, token: 'x', fetch: html })
    await expect(other.models()).rejects.toMatchObject({ code: 'unexpected-answer', status: 404 })
  })

  it('tells who asks, whatever letters the name has', async () => {
    const { server } = await served()
    const named = connect({ url: server.url, token: server.token, actor: 'cli:Łukasz 100%' })
    expect(await named.status()).toMatchObject({ actor: 'api:cli:Łukasz 100%' })
  })

  it('says what it cannot send, and does not take that for a service that is gone', async () => {
    const { client } = await served()
    await expect(client.tasks.start({ prompt: 'hi', cwd: '/repo' }, { key: 'ключ' })).rejects.toMatchObject({
      code: 'bad-request',
      retryable: false,
      message: 'idempotency-key may have printable ASCII characters only',
    })
  })

  it('keeps the path of a service behind a proxy', async () => {
    const asked: string[] = []
    const noted: typeof fetch = async (input) => {
      asked.push(String(input))
      return new Response('{"items":[]}')
    }
    for (const url of ['https://example.com/bridge', 'https://example.com/bridge/'])
      await connect({ url, token: 'x', fetch: noted }).rules()
    expect(asked).toEqual(Array(2).fill('https://example.com/bridge/v1/rules'))
  })

  it('goes where the service is now, once it could not be reached', async () => {
    const before = await serve()
    const after = await serve()
    const locate = () => ({ url: after.url, token: after.token })
    const client = connect({ url: before.url, token: before.token, locate })
    await before.close()
    await expect(client.status()).rejects.toMatchObject({ code: 'unreachable' })
    expect(await client.status()).toMatchObject({ actor: 'api' })
  })

  it('waits on across a restart of the service, wherever it is then', async () => {
    const before = await serve()
    const after = await serve()
    const locate = () => ({ url: after.url, token: after.token })
    const { tasks } = connect({ url: before.url, token: before.token, locate })
    const working = { ...TASK, status: 'working' as const }
    const polled = Promise.withResolvers<void>()
    before.service.wait = (_, { timeoutMs }) => {
      if (timeoutMs === 0) return Promise.resolve(working)
      polled.resolve()
      return new Promise(() => {})
    }
    after.service.wait = () => Promise.resolve({ ...TASK, status: 'completed' })
    const attempts: number[] = []
    const waiting = tasks.wait('task-1', { onReconnect: (_, attempt) => attempts.push(attempt) })
    await polled.promise
    await before.close()
    expect(await waiting).toMatchObject({ id: 'task-1', status: 'completed' })
    expect(attempts).toEqual([1])
  })

  it('does not wait for a service that was never there', async () => {
    const server = await serve()
    await server.close()
    const { tasks } = connect({ url: server.url, token: server.token })
    await expect(tasks.wait('task-1')).rejects.toMatchObject({ code: 'unreachable' })
  })

  it('stops at the signal, with its reason', async () => {
    const { server, client } = await served()
    server.instead('models', () => new Promise(() => undefined))
    const stop = new AbortController()
    const asked = client.models({ signal: stop.signal })
    stop.abort(new Error('enough'))
    await expect(asked).rejects.toThrow('enough')
  })

  it('waits on until the task is settled', async () => {
    const { server, client } = await served()
    server.instead('wait', () => ({ ...TASK, status: 'completed' }))
    expect(await client.tasks.wait('task-1')).toMatchObject({ status: 'completed' })
    expect(await client.tasks.wait('task-1', { timeoutMs: 900 })).toMatchObject({ status: 'working' })
    expect(server.calls).toEqual([
      ['wait', 'task-1', { timeoutMs: 0, through: false }],
      ['wait', 'task-1', { timeoutMs: 0, through: false }],
      ['wait', 'task-1', { timeoutMs: expect.any(Number), through: false }],
    ])
    const { timeoutMs } = server.calls[2]![2] as { timeoutMs: number }
    expect(timeoutMs).toBeGreaterThan(0)
    expect(timeoutMs).toBeLessThanOrEqual(900)
  })

  it('waits on while the task waits for its worker: nobody can answer that', async () => {
    const { server, client } = await served()
    server.instead('wait', () => ({ ...TASK, status: 'waiting', waitingFor: 'worker' }))
    server.service.wait = (
      (wait) =>
      async (...given: Parameters<typeof wait>) => {
        const task = await wait(...given)
        return task.waitingFor === 'worker' ? task : { ...task, status: 'waiting', waitingFor: 'approval' }
      }
    )(server.service.wait)
    expect(await client.tasks.wait('task-1')).toMatchObject({ status: 'waiting', waitingFor: 'approval' })
    expect(server.calls).toHaveLength(2)
  })

  it('does not follow a redirection, with its token', async () => {
    const redirected: string[] = []
    const other = createServer((request, response) => {
      redirected.push(request.url!)
      response.writeHead(307, { location: '/elsewhere' }).end()
    })
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void other.close())
    const { port } = other.address() as AddressInfo
    const client = connect({ url: `http://127.0.0.1:${port}`, token: 'secret' })
    await expect(client.models()).rejects.toMatchObject({ code: 'unreachable' })
    expect(redirected).toEqual(['/v1/models'])
  })
})
