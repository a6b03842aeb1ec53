// MCP over a pair of streams: one connection, one caller.
import type { Readable, Writable } from 'node:stream'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { makeServer } from './make-server.ts'
import type { McpCaller } from './mcp-caller.ts'

export interface McpStreams {
  readonly input: Readable
  readonly output: Writable
}

/** Resolves when the client has gone or the signal says so. */
export async function serveMcp(
  caller: McpCaller,
  { input, output }: McpStreams,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  const transport = new StdioServerTransport(input, output)
  const handle = serveStdio(() => makeServer(caller, { signal }), {
    transport,
    onerror: (error) => caller.onError(error),
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  input.once('end', resolve)
  input.once('close', resolve)
  output.once('error', resolve)
  signal.addEventListener('abort', () => resolve(), { once: true })
  if (signal.aborted) resolve()
  await promise
  await handle.close()
}
