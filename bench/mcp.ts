// Start and wait of a trivial turn through MCP (over HTTP and on stdio) against the same through the HTTP API, in turns on
// one service, so that whatever slows the machine slows all of them.
// Run: npm run bench:mcp
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { connect, readToken } from '../src/api/index.ts'
import { SERVICE_NODE_FLAGS } from '../src/cli/service/start-service.ts'
import { makeCodexHome, makeWorkspace, message, startScriptedModel } from '../src/testing/index.ts'
import { median, printTable } from './report.ts'

const ROUNDS = 40
const WARM_UP = 5

const model = await startScriptedModel(() => message('done'))
const home = await makeCodexHome(model)
const data = await makeWorkspace()
const { path: cwd, remove } = await makeWorkspace()
const env = { ...process.env, CODEX_HOME: home.path, DRAWBRIDGE_HOME: data.path } as Record<string, string>
const service = spawn(
  process.execPath,
  [...SERVICE_NODE_FLAGS, 'bin/drawbridge', 'serve', '--port', '0', '--json'],
  { stdio: ['ignore', 'pipe', 'ignore'], env },
)
const [line] = (await once(createInterface({ input: service.stdout! }), 'line')) as [string]
const { url } = JSON.parse(line) as { url: string }
const token = readToken(data.path)!
const api = connect({ url, token, actor: 'bench' })

async function throughApi(): Promise<void> {
  const { id } = await api.tasks.start({ prompt: 'work', cwd })
  const { status } = await api.tasks.wait(id)
  if (status !== 'completed') throw new Error(status)
}

async function throughMcp(client: Client): Promise<void> {
  const call = async (name: string, args: Record<string, unknown>) => {
    const { content } = (await client.callTool({ name, arguments: args })) as { content: { text: string }[] }
    return JSON.parse(content[0]!.text.split('\n', 1)[0]!) as { taskId: string; status: string }
  }
  const { taskId } = await call('task_start', { prompt: 'work', cwd })
  const { status } = await call('task_wait', { taskId })
  if (status !== 'completed') throw new Error(status)
}

async function connected(transport: StreamableHTTPClientTransport | StdioClientTransport): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(transport)
  return client
}

const http = await connected(
  new StreamableHTTPClientTransport(new URL('/mcp', url), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  }),
)
const stdio = await connected(
  new StdioClientTransport({
    command: process.execPath,
    args: [path.resolve('bin/drawbridge'), 'mcp'],
    env,
    cwd,
    stderr: 'ignore',
  }),
)
const ways = {
  'HTTP API': throughApi,
  'MCP over HTTP': () => throughMcp(http),
  'MCP on stdio': () => throughMcp(stdio),
}
const times: Record<string, number[]> = {}
for (let round = -WARM_UP; round < ROUNDS; round++)
  for (const [name, run] of Object.entries(ways)) {
    const startedAt = performance.now()
    await run()
    times[name] ??= []
    if (round >= 0) times[name].push(performance.now() - startedAt)
  }

await Promise.all([http.close(), stdio.close()])
const exited = once(service, 'exit')
await api.shutdown({ drain: true })
await exited
await model.close()
await Promise.all([home.remove(), data.remove(), remove()])

const [direct, overHttp, onStdio] = Object.values(times).map(median) as [number, number, number]
printTable(
  `Start and wait of a trivial turn, ${ROUNDS} times each`,
  Object.entries(times).map(([name, all]) => ({ way: name, 'median ms': median(all).toFixed(1) })),
)
console.log(
  `ratio ${(overHttp / direct).toFixed(2)} MCP over HTTP, ${(onStdio / direct).toFixed(2)} on stdio, of the HTTP API's ${direct.toFixed(1)} ms (goal 1.2)`,
)
