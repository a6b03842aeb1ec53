// MCP over streamable HTTP. Who may call, and by which name the service may be asked, was checked before.
import { createMcpHandler } from '@modelcontextprotocol/server'
import { makeServer } from './make-server.ts'
import type { McpCaller } from './mcp-caller.ts'

export interface McpDoorOptions {
  readonly maxBodyBytes: number
}

/** Answers one request. Nothing is kept between requests: a restart of the service costs a client nothing. */
export async function answerMcp(
  request: Request,
  caller: McpCaller,
  { maxBodyBytes }: McpDoorOptions,
): Promise<Response> {
  const { signal } = request
  const handler = createMcpHandler(() => makeServer(caller, { signal }), {
    maxRequestBodySize: maxBodyBytes,
    // A stream that is open without end is neither counted nor ended with its token.
    maxSubscriptions: 0,
    onerror: () => undefined,
  })
  return handler.fetch(request)
}
