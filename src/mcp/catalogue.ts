import { InMemoryTransport } from '@modelcontextprotocol/server'
import { makeServer } from './make-server.ts'
import type { McpCaller } from './mcp-caller.ts'

/** What a client puts before its model: the JSON of `tools/list`, and how many tokens that is about. */
export async function catalogue(): Promise<{ readonly tools: unknown[]; readonly tokens: number }> {
  const [client, server] = InMemoryTransport.createLinkedPair()
  const { promise, resolve } = Promise.withResolvers<unknown[]>()
  client.onmessage = (message) => {
    if ('result' in message && message.id === 1) resolve((message.result as { tools: unknown[] }).tools)
  }
  await makeServer({} as McpCaller).connect(server)
  await client.start()
  await client.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const tools = await promise
  return { tools, tokens: Math.ceil(JSON.stringify(tools).length / 4) }
}
