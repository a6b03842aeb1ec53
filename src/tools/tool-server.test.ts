import { request } from 'node:http'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { toolSet } from '../../test/support/tool-set.ts'
import { openToolServer, type ToolServer, type ToolServerOptions } from './tool-server.ts'

async function opened(options?: ToolServerOptions): Promise<ToolServer> {
  const server = await openToolServer(options)
  onTestFinished(() => server.close())
  return server
}

function headersOf(given: ReturnType<ToolServer['give']>): Record<string, string> {
  return (given.mcpServers.host_tools as { http_headers: Record<string, string> }).http_headers
}

interface Answer {
  readonly status: number
  readonly body: string
}

/** By hand: `fetch` sets the headers that are checked. */
function post(
  server: ToolServer,
  body: unknown,
  { headers = {}, method = 'POST', path = '/mcp' }: { headers?: object; method?: string; path?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(
      { port: server.port, host: '127.0.0.1', path, method, headers: { ...headers } },
      (response) => {
        let text = ''
        response.on('data', (chunk) => (text += chunk))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }))
      },
    )
    asked.on('error', reject)
    asked.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
}

const call = (name: string, meta: object = {}, args: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args, _meta: meta },
})

const textIn = ({ body }: Answer) => JSON.parse(body).result.content[0].text as string

describe('the tool server', () => {
  it('serves the official client: list, call, cancel', async () => {
    const server = await opened()
    const { tools, onCall, calls, seen } = toolSet()
    const given = server.give(tools, { onCall, instructions: 'use echo' })
    const client = new Client({ name: 'test', version: '1' })
    const requestInit = { headers: headersOf(given) }
    await client.connect(new StreamableHTTPClientTransport(new URL(server.url), { requestInit }))
    onTestFinished(() => client.close())
    expect(client.getInstructions()).toBe('use echo')
    const listed = (await client.listTools()).tools
    expect(listed.map(({ name }) => name)).toEqual(tools.map(({ name }) => name))
    expect(listed[0]!.inputSchema).toMatchObject({ type: 'object', properties: { text: { type: 'string' } } })
    const echoed = await client.callTool({ name: 'echo', arguments: { text: 'hi' } })
    expect(echoed).toMatchObject({ content: [{ type: 'text', text: 'here hi' }], isError: false })
    expect(await client.callTool({ name: 'figures', arguments: {} })).toMatchObject({
      structuredContent: { n: 7 },
    })
    const controller = new AbortController()
    const hanging = client.callTool({ name: 'hang', arguments: {} }, { signal: controller.signal })
    await expect.poll(() => seen.at(-1)?.tool).toBe('hang')
    controller.abort()
    await expect(hanging).rejects.toThrow()
    await expect.poll(() => calls.at(-1)?.outcome).toBe('cancelled')
    expect(seen.at(-1)!.context.signal.aborted).toBe(true)
  })

  it('lets in nobody without a bearer of its own, no browser, and nothing but messages', async () => {
    const server = await opened()
    const { tools, seen } = toolSet()
    const good = headersOf(server.give(tools))
    const foreign = headersOf((await opened()).give(tools))
    const status = async (...given: Parameters<typeof post>) => (await post(...given)).status
    expect(await status(server, call('echo'))).toBe(401)
    expect(await status(server, call('echo'), { headers: foreign })).toBe(401)
    expect(await status(server, call('echo'), { headers: { Authorization: `${good.Authorization}x` } })).toBe(
      401,
    )
    expect(await status(server, call('echo'), { headers: { ...good, origin: 'http://127.0.0.1' } })).toBe(403)
    expect(await status(server, call('echo'), { headers: { ...good, host: 'evil.example' } })).toBe(403)
    expect(await status(server, '', { headers: good, method: 'GET' })).toBe(405)
    expect(await status(server, call('echo'), { headers: good, path: '/' })).toBe(404)
    expect(await status(server, '{', { headers: good })).toBe(400)
    expect(await status(server, [call('echo')], { headers: good })).toBe(400)
    expect(await status(server, `${'{"a":'.repeat(200)}1${'}'.repeat(200)}`, { headers: good })).toBe(400)
    expect(await status(server, 'x'.repeat(5_000_000), { headers: good })).toBe(413)
    expect(seen).toEqual([])
    const unknown = await post(server, { jsonrpc: '2.0', id: 'a', method: 'tools/burn' }, { headers: good })
    expect(JSON.parse(unknown.body)).toMatchObject({ id: 'a', error: { code: -32601 } })
    expect(textIn(await post(server, call('nothing'), { headers: good }))).toBe('there is no tool nothing')
  })

  it('refuses a thread that is known to be another one, and takes sub-agents', async () => {
    const server = await opened()
    const [mine, other] = [toolSet('mine'), toolSet('other')]
    const given = server.give(mine.tools, { onCall: mine.onCall })
    const others = server.give(other.tools)
    const parents: Record<string, string> = { 'sub-1': 'thread-1', 'sub-2': 'thread-2' }
    const parentOf = (id: string) => (parents[id] ? { threadId: parents[id], turnId: 'turn' } : null)
    given.opened({ id: 'thread-1', parentOf })
    others.opened({ id: 'thread-2', parentOf })
    const ask = async (threadId: string) =>
      textIn(await post(server, call('echo', { threadId }), { headers: headersOf(given) }))
    expect(await ask('thread-1')).toBe('mine ')
    expect(await ask('sub-1')).toBe('mine ')
    expect(await ask('unheard-of')).toBe('mine ')
    expect(mine.calls.map(({ threadId, subAgentId }) => [threadId, subAgentId])).toEqual([
      ['thread-1', null],
      ['thread-1', 'sub-1'],
      ['thread-1', 'unheard-of'],
    ])
    expect(await ask('thread-2')).toBe('this tool belongs to another thread')
    expect(await ask('sub-2')).toBe('this tool belongs to another thread')
    expect(mine.seen).toHaveLength(3)
    expect(other.seen).toHaveLength(0)
  })

  it('forgets the tools of a thread that codex has closed, until it is opened again', async () => {
    const server = await opened({ patienceMs: 10 })
    const given = server.give(toolSet('mine').tools)
    const thread = { id: 'thread-1', parentOf: () => null }
    const ask = async () => textIn(await post(server, call('echo'), { headers: headersOf(given) }))
    given.opened(thread)
    expect(await ask()).toBe('mine ')
    given.closed()
    expect(await ask()).toContain('is not there')
    given.opened(thread)
    expect(await ask()).toBe('mine ')
  })

  it('makes the same bearer again from key and secret, and waits for tools that are given late', async () => {
    const secret = 'kept'
    const first = await opened({ secret })
    const { tools } = toolSet('after the restart')
    const headers = headersOf(first.give(tools, { key: 'task-1' }))
    const { port } = first
    await first.close()
    const second = await opened({ secret, port, patienceMs: 20_000 })
    const waiting = post(second, call('echo'), { headers })
    const listing = await post(second, { jsonrpc: '2.0', id: 2, method: 'ping' }, { headers })
    expect(listing.status).toBe(200)
    second.give(tools, { key: 'task-1' })
    expect(textIn(await waiting)).toBe('after the restart ')
    const other = await opened({ secret, patienceMs: 10 })
    expect(textIn(await post(other, call('echo'), { headers }))).toContain('is not there')
  })

  it('ends what runs when it is closed, or when the caller is gone', async () => {
    const server = await openToolServer()
    const { tools, onCall, calls, seen } = toolSet()
    const headers = headersOf(server.give(tools, { onCall }))
    const asked = request({ port: server.port, host: '127.0.0.1', path: '/mcp', method: 'POST', headers })
    asked.on('error', () => {})
    asked.end(JSON.stringify(call('hang')))
    await expect.poll(() => seen.length).toBe(1)
    asked.destroy()
    await expect.poll(() => calls.map(({ outcome }) => outcome)).toEqual(['cancelled'])
    const hanging = post(server, call('hang'), { headers }).catch((error: Error) => error)
    await expect.poll(() => seen.length).toBe(2)
    await server.close()
    expect(await hanging).toBeInstanceOf(Error)
    await expect.poll(() => calls.length).toBe(2)
  })
})
