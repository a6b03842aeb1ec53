// The official MCP clients, both lines of them, on both transports, as programs of users have them.
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client'
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { onTestFinished } from 'vitest'
import { type AddToken, connect, readToken } from '../../src/api/index.ts'
import { PROGRAM } from './program.ts'
import type { serviceStage } from './service-stage.ts'

type Stage = Awaited<ReturnType<typeof serviceStage>>

export interface ToolAnswer {
  readonly text: string
  readonly isError: boolean
  /** The first line, where a tool says what the next call needs. */
  readonly json: Readonly<Record<string, unknown>> & { readonly taskId: string; readonly cursor: number }
}

interface CallOptions {
  readonly onprogress?: (progress: { progress: number; message?: string | undefined }) => void
  readonly signal?: AbortSignal
  readonly timeout?: number
}

export type Call = (
  tool: string,
  args?: Readonly<Record<string, unknown>>,
  options?: CallOptions,
) => Promise<ToolAnswer>

/** What both clients are to a test. */
export interface Connected {
  readonly call: Call
  readonly client: ClientV2
  /** The process on stdio; null over HTTP. */
  readonly pid: number | null
}

export const CLIENTS = ['v2 stdio', 'v2 http', 'v2 stdio 2025', 'v1 stdio', 'v1 http'] as const
export type ClientName = (typeof CLIENTS)[number]

const INFO = { name: 'a-test', version: '1.0.0' }

/** A named token of the service, which is started for it. */
export async function namedToken(
  { json, record, dataDir }: Stage,
  token: AddToken,
): Promise<{ readonly name: string; readonly secret: string }> {
  await json('task', 'list')
  const owner = connect({ url: record().url, token: readToken(dataDir)!, actor: 'test' })
  const { secret } = await owner.addToken(token)
  return { name: token.name, secret }
}

/** A form as the client of a user shows it. */
export interface AskedForm {
  readonly message: string
  readonly requestedSchema: { readonly properties: Readonly<Record<string, { readonly enum?: string[] }>> }
  /** Ends when the server takes the form back. */
  readonly signal: AbortSignal
}

export interface ConnectionOptions {
  /** Default: on stdio the one that is made for agents, over HTTP the owner's. */
  readonly token?: { readonly name: string; readonly secret: string }
  /** Answers what the server asks the user of the client. */
  readonly elicit?: (form: AskedForm) => Promise<{
    action: 'accept' | 'decline' | 'cancel'
    content?: Record<string, string>
  }>
}

export async function mcpClient(
  name: ClientName,
  stage: Stage,
  options: ConnectionOptions = {},
): Promise<Connected> {
  const isV1 = name.startsWith('v1')
  const capabilities = options.elicit ? { capabilities: { elicitation: {} } } : {}
  const negotiation = name.endsWith('2025') ? {} : { versionNegotiation: { mode: 'auto' as const } }
  // What tests use of them is the same in both.
  const client = (
    isV1 ? new ClientV1(INFO, capabilities) : new ClientV2(INFO, { ...capabilities, ...negotiation })
  ) as ClientV2
  if (options.elicit) {
    const answer = (request: { params: unknown }, signal: AbortSignal) =>
      options.elicit!({ ...(request.params as AskedForm), signal })
    if (isV1) {
      const { ElicitRequestSchema } = await import('@modelcontextprotocol/sdk/types.js')
      ;(client as unknown as ClientV1).setRequestHandler(ElicitRequestSchema, (request, { signal }) =>
        answer(request, signal),
      )
    } else
      client.setRequestHandler('elicitation/create', (request, { mcpReq }) => answer(request, mcpReq.signal))
  }
  const transport = name.includes('stdio') ? stdio(stage, isV1, options) : http(stage, isV1, options)
  await client.connect(transport as never)
  onTestFinished(() => client.close())
  return { client, call: caller(client), pid: (transport as { pid?: number | null }).pid ?? null }
}

function caller(client: ClientV2): Call {
  return async (tool, args = {}, { timeout = 280_000, ...options } = {}) => {
    const isV1 = client instanceof ClientV1
    const request = { name: tool, arguments: args }
    const given = { timeout, ...options }
    const result = (await (isV1
      ? (client as unknown as ClientV1).callTool(request, undefined, given)
      : client.callTool(request, given))) as { content: { text: string }[]; isError?: boolean }
    const { text } = result.content[0]!
    return { text, isError: result.isError === true, json: firstJson(text) }
  }
}

function firstJson(text: string): ToolAnswer['json'] {
  try {
    return JSON.parse(text.split('\n', 1)[0]!)
  } catch {
    return {} as ToolAnswer['json']
  }
}

function stdio({ env, cwd }: Stage, isV1: boolean, { token }: ConnectionOptions) {
  const server = {
    command: process.execPath,
    args: [PROGRAM, 'mcp', ...(token ? ['--as', token.name] : [])],
    env: { ...(process.env as Record<string, string>), ...env },
    cwd,
    stderr: 'ignore' as const,
  }
  return isV1 ? new StdioV1(server) : new StdioV2(server)
}

function http({ record, dataDir }: Stage, isV1: boolean, { token }: ConnectionOptions) {
  const url = new URL('/mcp', record().url)
  const requestInit = { headers: { authorization: `Bearer ${token?.secret ?? readToken(dataDir)}` } }
  return isV1 ? new HttpV1(url, { requestInit }) : new HttpV2(url, { requestInit })
}

/** Waits with the cursor of the answer before, as a client does, until `isThere`. */
export async function waitUntil(
  call: Call,
  taskId: string,
  isThere: (answer: ToolAnswer) => boolean,
  options: { readonly cursor?: number; readonly maxWaitS?: number } = {},
): Promise<ToolAnswer> {
  let { cursor = 0 } = options
  for (let times = 0; times < 20; times++) {
    const answer = await call('task_wait', { taskId, cursor, maxWaitS: options.maxWaitS ?? 20 })
    if (answer.isError) throw new Error(answer.text)
    if (isThere(answer)) return answer
    cursor = answer.json.cursor
  }
  throw new Error(`task ${taskId} never got there`)
}
