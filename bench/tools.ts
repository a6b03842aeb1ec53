// The round trip of a tool call, seen from the model: from the call it makes to the request with the answer in it. A
// bare MCP server over stdio in codex's config.toml, our tool server, and dynamic tools, on one codex and one model.
// Run: npm run bench:tools
import path from 'node:path'
import { defineTool, openCodex, type Thread } from '../src/codex/index.ts'
import { localHost } from '../src/hosts/index.ts'
import {
  functionCall,
  makeCodexHome,
  makeWorkspace,
  message,
  startScriptedModel,
  toolOutputs,
} from '../src/testing/index.ts'
import { openToolServer } from '../src/tools/index.ts'
import { BENCH_ENV } from './bare-reader.ts'
import { median, printTable } from './report.ts'

const CALLS = 20
const TURNS = 12
const WARM_UP = 2

const echo = defineTool({
  name: 'echo',
  description: 'echoes',
  input: { type: 'object', properties: {} },
  handler: () => 'ok',
})

/** How the model names the tool of each; and the thread that has it. */
const namespaces = { bare: 'mcp__bare', 'tool server': 'mcp__host_tools', dynamic: null } as const
type Name = keyof typeof namespaces
const names = Object.keys(namespaces) as Name[]
const threads = new Map<Name, Thread>()
const times = new Map<Name, number[]>(names.map((name) => [name, []]))
const calledAt = new Map<string, number>()
let isWarm = false

await using model = await startScriptedModel((request) => {
  const now = performance.now()
  const id = request.threadId!
  const name = names.find((each) => threads.get(each)?.id === id)!
  const count = toolOutputs(request).length
  if (count > 0 && isWarm) times.get(name)!.push(now - calledAt.get(id)!)
  calledAt.set(id, performance.now())
  if (count === CALLS) return message('ok')
  const namespace = namespaces[name]
  return functionCall('echo', {}, namespace === null ? {} : { namespace })
})
const program = path.resolve(import.meta.dirname, 'bare-mcp-server.mjs')
const toml = `[mcp_servers.bare]
command = ${JSON.stringify(process.execPath)}
args = [${JSON.stringify(program)}]
required = true
omit_tools_from = ["deferred"]
default_tools_approval_mode = "approve"
`
await using home = await makeCodexHome(model, { toml })
await using workspace = await makeWorkspace()
const cwd = workspace.path
await using server = await openToolServer()
const host = localHost({ codexHome: home.path, env: BENCH_ENV, registryDir: null })
await using codex = await openCodex(host, { experimental: true })
threads.set('bare', await codex.startThread({ cwd }))
threads.set('tool server', await codex.startThread({ cwd, tools: server.give([echo]) }))
threads.set('dynamic', await codex.startThread({ cwd, tools: [echo] }))

for (let turn = -WARM_UP; turn < TURNS; turn++) {
  isWarm = turn >= 0
  // In changing order, so that whatever else the machine does hits all alike.
  for (const name of turn % 2 ? names : names.toReversed()) {
    const outcome = await (await threads.get(name)!.startTurn('go')).outcome
    if (outcome.status !== 'completed') throw new Error(`${name}: ${outcome.status}`)
  }
}

const base = median(times.get('bare')!)
printTable(
  `${CALLS} tool calls in each of ${TURNS} turns, median of a call`,
  [...times].map(([who, all]) => ({
    who,
    ms: median(all).toFixed(2),
    '× bare': (median(all) / base).toFixed(2),
  })),
)
const ratio = (name: Name) => (median(times.get(name)!) / base).toFixed(3)
console.log(`ratio ${ratio('tool server')} of a bare MCP server (goal ≤ 1.1); dynamic ${ratio('dynamic')}`)
