// MCP over a pair of streams: one connection, one caller.
import type { Readable, Writable } from 'node:stream'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { cutText } from '../util/cut-text.ts'
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
  const { promise, resolve } = Promise.withResolvers<void>()
  const transport = new StdioServerTransport(input, output)
  const close = transport.close.bind(transport)
  // It closes itself when a message is too long, and then reads no more: not even the end of its input.
  transport.close = async () => {
    resolve()
    await close()
  }
  const handle = serveStdio(() => makeServer(caller, { signal }), {
    transport,
    // What a client sent that is no message: in one short line, however much it was.
    onerror: ({ message }) => caller.onError(cutText(message.replace(/\s+/g, ' '), 300)),
  })
  input.once('end', resolve)
  input.once('close', resolve)
  output.once('error', resolve)
  signal.addEventListener('abort', () => resolve(), { once: true })
  if (signal.aborted) resolve()
  await promise
  await handle.close()
}
