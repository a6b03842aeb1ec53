// A turn of 20,000 deltas from the real codex, stored and followed over SSE, against a bare reader (readline +
// JSON.parse) on the same binary and model; and how the time to list tasks and to open the last page of a task grows
// from 10,000 stored events to 1,000,000.
// Run: npm run bench:log
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect, readToken } from '../src/api/index.ts'
import { openDatabase } from '../src/tasks/index.ts'
import {
  lastUserText,
  makeCodexHome,
  makeWorkspace,
  message,
  startScriptedModel,
} from '../src/testing/index.ts'
import { openBareReader } from './bare-reader.ts'
import { fillLog, readLog } from './log-size.ts'
import { median, printTable } from './report.ts'
import { openService } from './service.ts'

const DELTAS = 20_000
const DELTA = 'tick '
const WARM_UP = 1
const ROUNDS = 6

interface Contestant {
  /** A fresh thread that has had one short turn. */
  prepare(): Promise<() => Promise<string>>
  end(): Promise<void>
}

interface Place {
  readonly home: string
  readonly cwd: string
}

async function serveModel(): Promise<void> {
  const model = await startScriptedModel((request) =>
    lastUserText(request).includes('count') ? message(DELTA, { count: DELTAS }) : message('ready'),
  )
  process.send!(model.url)
  process.once('disconnect', () => void model.close())
}

async function service({ home, cwd }: Place): Promise<Contestant> {
  const opened = await openService()
  const client = connect({ url: opened.api.url, token: readToken(opened.dataDir)!, actor: 'bench' })
  async function prepare() {
    const { id } = await client.tasks.start({ prompt: 'hello', cwd, codexHome: home, keepOpen: true })
    const { lastSeq, status } = await client.tasks.wait(id, { timeoutMs: 60_000 })
    if (status !== 'idle') throw new Error(status)
    return async () => {
      let text = ''
      const stop = new AbortController()
      const events = client.tasks.follow(id, { after: lastSeq, signal: stop.signal })
      await client.tasks.send(id, { input: 'count' })
      for await (const { event } of events) {
        const { item } = event.params as { item?: { type: string; text: string } }
        if (event.method === 'item/completed' && item?.type === 'agentMessage') text = item.text
        if (event.method === 'turn/completed') break
      }
      stop.abort()
      return text
    }
  }
  return { prepare, end: () => opened.end() }
}

async function bareReader({ home, cwd }: Place): Promise<Contestant> {
  let text = ''
  const reader = await openBareReader({
    home,
    onNotification: ({ method, params }) => {
      if (method === 'item/completed' && params.item.type === 'agentMessage') text = params.item.text
    },
  })
  async function prepare() {
    const threadId = await reader.startThread(cwd)
    await reader.turn(threadId, 'hello')
    return async () => {
      await reader.turn(threadId, 'count')
      return text
    }
  }
  return { prepare, end: () => reader.end() }
}

const makers = { 'bare reader': bareReader, service }
type Name = keyof typeof makers
const names = Object.keys(makers) as Name[]

async function measure(contestant: Contestant): Promise<number> {
  const turn = await contestant.prepare()
  const startedAt = performance.now()
  const text = await turn()
  const wallMs = performance.now() - startedAt
  if (text !== DELTA.repeat(DELTAS)) throw new Error(`the answer has ${text.length} characters`)
  return wallMs
}

async function compareTurns(): Promise<number> {
  const model = fork(import.meta.filename, ['model'])
  const [url] = (await once(model, 'message')) as [string]
  await using home = await makeCodexHome({ url })
  await using workspace = await makeWorkspace()
  const place = { home: home.path, cwd: workspace.path }
  const samples: Record<Name, number[]> = { 'bare reader': [], service: [] }
  const contestants = new Map<Name, Contestant>()
  for (const name of names) contestants.set(name, await makers[name](place))
  for (let round = -WARM_UP; round < ROUNDS; round++)
    // In changing order, so that whatever else the machine does hits both alike.
    for (const name of round % 2 ? names : names.toReversed()) {
      const wallMs = await measure(contestants.get(name)!)
      if (round >= 0) samples[name].push(wallMs)
    }
  for (const contestant of contestants.values()) await contestant.end()
  model.disconnect()
  await once(model, 'exit')
  printTable(
    `${DELTAS} deltas stored and followed over SSE, median of ${ROUNDS} rounds`,
    names.map((who) => ({ who, 'wall ms': median(samples[who]).toFixed(0) })),
  )
  return median(samples.service) / median(samples['bare reader'])
}

async function compareSizes(): Promise<{ list: number; page: number }> {
  await using data = await makeWorkspace()
  const database = await openDatabase({ dataDir: data.path, now: Date.now })
  await fillLog(database, { tasks: 100, events: 10_000 })
  const small = await readLog(database)
  process.stderr.write('writing 1,000,000 events …\n')
  await fillLog(database, { tasks: 100, events: 990_000 })
  const large = await readLog(database)
  await database.close()
  printTable('reading a log of 10,000 and of 1,000,000 events, median', [
    { events: '10,000', 'list ms': small.listMs.toFixed(2), 'last page ms': small.pageMs.toFixed(2) },
    { events: '1,000,000', 'list ms': large.listMs.toFixed(2), 'last page ms': large.pageMs.toFixed(2) },
  ])
  return { list: large.listMs / small.listMs, page: large.pageMs / small.pageMs }
}

async function compare(): Promise<void> {
  const turn = await compareTurns()
  const { list, page } = await compareSizes()
  console.log(
    `ratio ${turn.toFixed(2)} of a bare reader (goal ≤ 1.25); list ${list.toFixed(2)}, last page ${page.toFixed(2)} of 10,000 events (goal ≤ 1.5)`,
  )
}

await (process.argv[2] === 'model' ? serveModel() : compare())
