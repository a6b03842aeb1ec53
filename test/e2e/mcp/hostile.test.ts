// Input that nobody means well with: a clear refusal each time, and a service that goes on.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readToken } from '../../../src/api/index.ts'
import { message } from '../../../src/testing/index.ts'
import { mcpClient } from '../../support/mcp-clients.ts'
import { PROGRAM } from '../../support/program.ts'
import { serviceStage } from '../../support/service-stage.ts'

type Stage = Awaited<ReturnType<typeof serviceStage>>

interface Sent {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string | null>>
  readonly body?: string
}

/** By node's own client: `fetch` would not send another Host. */
async function send({ record, dataDir }: Stage, { method = 'POST', headers = {}, body }: Sent) {
  const given = {
    authorization: `Bearer ${readToken(dataDir)}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...headers,
  }
  const kept = Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== null)
  const sent = request(new URL('/mcp', record().url), { method, headers: Object.fromEntries(kept) })
  sent.end(body)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: answer.statusCode!, body: await text(answer) }
}

const call = (name: string, args: unknown, id: unknown = 1) =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } })

const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

async function open(): Promise<Stage> {
  const stage = await serviceStage(() => message('fine'))
  await stage.json('task', 'list')
  return stage
}

describe('/mcp', () => {
  it('lets in nobody without a token, under another name, or from another page', async () => {
    const stage = await open()
    const body = call('task_list', {})
    const statusOf = async (headers: Sent['headers']) =>
      (await send(stage, { headers: headers!, body })).status
    expect(await statusOf({})).toBe(200)
    expect(await statusOf({ authorization: null })).toBe(401)
    expect(await statusOf({ authorization: 'Bearer guess' })).toBe(401)
    expect(await statusOf({ authorization: null, cookie: 'drawbridge=guess' })).toBe(401)
    expect(await statusOf({ host: 'evil.example' })).toBe(421)
    expect(await statusOf({ origin: 'https://evil.example' })).toBe(403)
    expect(await statusOf({ 'sec-fetch-site': 'cross-site' })).toBe(403)
    expect(await statusOf({ 'content-type': 'text/plain' })).toBe(415)
    expect((await send(stage, { method: 'GET' })).status).toBe(405)
    expect((await send(stage, { method: 'DELETE' })).status).toBe(405)
    expect((await send(stage, { method: 'PUT', body })).status).toBe(405)
  })

  it('offers nothing to listen for, and keeps no stream open for a client that tries', async () => {
    const stage = await open()
    const version = '2026-07-28'
    const ask = async (method: string, params: object) => {
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': version,
        'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      }
      const headers = { 'mcp-protocol-version': version, 'mcp-method': method }
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } })
      return send(stage, { headers, body })
    }
    const found = await ask('server/discover', {})
    expect(found.status).toBe(200)
    expect(found.body).toContain('"listChanged":false')
    expect(found.body).not.toContain('"listChanged":true')
    const notifications = {
      toolsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: ['drawbridge://tasks/x'],
    }
    expect((await ask('subscriptions/listen', { notifications })).body).toContain('"error"')
  })

  it('answers what cannot be read or meant with an error, and goes on', async () => {
    const stage = await open()
    const answers = {
      'no JSON': await send(stage, { body: '{"jsonrpc":' }),
      nothing: await send(stage, { body: '' }),
      'a number': await send(stage, { body: '7' }),
      'no method': await send(stage, { body: '{"jsonrpc":"2.0","id":1}' }),
      'an unknown method': await send(stage, { body: '{"jsonrpc":"2.0","id":1,"method":"shell/run"}' }),
      'an unknown tool': await send(stage, { body: call('exec', {}) }),
      'wrong types': await send(stage, { body: call('task_wait', { taskId: 7, maxWaitS: 'long' }) }),
      'too long a wait': await send(stage, { body: call('task_wait', { taskId: 'x', maxWaitS: 1e9 }) }),
      'unknown fields': await send(stage, {
        body: call('task_start', { prompt: 'x', cwd: '/', shell: true }),
      }),
      'a danger': await send(stage, {
        body: call('task_start', { prompt: 'x', cwd: '/', sandbox: 'danger-full-access' }),
      }),
      'an empty prompt': await send(stage, { body: call('task_start', { prompt: '  ', cwd: '/' }) }),
      'no arguments': await send(stage, { body: call('task_show', undefined) }),
      'deep arguments': await send(stage, {
        body: call('task_answer', { questionId: 'q' }).replace('"q"', nested(5_000)),
      }),
      'deeper ones': await send(stage, { body: call('task_list', 'x').replace('"x"', nested(100_000)) }),
      'many elements': await send(stage, {
        body: call('task_start', {
          prompt: 'x',
          cwd: '/',
          labels: Array.from({ length: 50_000 }, () => 'l'),
        }),
      }),
      prototypes: await send(stage, {
        body: call('task_answer', 'x').replace('"x"', '{"questionId":"q","answers":{"__proto__":["x"]}}'),
      }),
    }
    for (const [name, { status, body }] of Object.entries(answers)) {
      expect({ name, isAnswered: status < 500 || body.includes('"error"') }).toEqual({
        name,
        isAnswered: true,
      })
      expect({ name, body }).toEqual({ name, body: expect.stringMatching(/"error"|"isError":true/) })
    }
    const large = await send(stage, { body: call('task_start', { prompt: 'x'.repeat(3_000_000), cwd: '/' }) })
    expect(large.status).toBe(413)
    // Two calls in one body: each is answered, or the body is refused.
    const batch = await send(stage, { body: `[${call('task_list', {})},${call('task_list', {}, 2)}]` })
    expect(batch.body).toMatch(/No tasks|error/)
    const session = await send(stage, {
      headers: { 'mcp-session-id': 'of-another' },
      body: call('task_list', {}),
    })
    expect(session.body).toContain('No tasks.')
    expect((await send(stage, { body: call('task_list', {}) })).body).toContain('No tasks.')
  })
})

it('a tool error of the client is an answer, on stdio too, and the next call works', async () => {
  const stage = await open()
  const { call: ask, client } = await mcpClient('v2 stdio', stage)
  await expect(ask('exec')).rejects.toThrow(/exec/)
  const wrong = await ask('task_wait', { taskId: 7 }).catch((error: unknown) => ({
    isError: true,
    text: String(error),
  }))
  expect(wrong).toMatchObject({ isError: true, text: expect.stringContaining('taskId') })
  expect(await ask('task_wait', { taskId: 'none' })).toMatchObject({
    isError: true,
    text: 'task-not-found: there is no task none',
  })
  expect(await ask('task_start', { prompt: 'x', cwd: '/no/such/folder' })).toMatchObject({ isError: true })
  await expect(client.readResource({ uri: 'drawbridge://tasks/none' })).rejects.toThrow(/none/)
  await expect(client.readResource({ uri: 'file:///etc/passwd' })).rejects.toThrow()
  expect((await ask('task_list')).text).toBe('No tasks.')
})

it('a client on stdio that sends garbage is heard afterwards; one that sends no end is left', async () => {
  const stage = await open()
  const child = spawn(process.execPath, [PROGRAM, 'mcp'], {
    env: { ...process.env, ...stage.env },
    cwd: stage.cwd,
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  child.stdin.on('error', () => undefined)
  child.stderr.resume()
  const answers = createInterface({ input: child.stdout })
  const clientInfo = { name: 'x', version: '1' }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  child.stdin.write('no json\n{"jsonrpc":"2.0"}\n[1,2]\n\n')
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`)
  const [first] = (await once(answers, 'line')) as [string]
  expect(JSON.parse(first)).toMatchObject({ id: 1, result: { serverInfo: { name: 'drawbridge' } } })
  child.stdin.write('x'.repeat(12_000_000))
  expect(await exited).toEqual([0, null])
})
