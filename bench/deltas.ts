// One turn of 20,000 deltas, every event iterated: our client against a bare reader (readline + JSON.parse), on the same
// binary and the same scripted model. The model runs in a process of its own, so that its work counts for neither.
// Run: npm run bench:deltas
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { openCodex } from '../src/codex/index.ts'
import { localHost } from '../src/hosts/index.ts'
import { makeCodexHome, makeWorkspace, message, startScriptedModel } from '../src/testing/index.ts'
import { BENCH_ENV, openBareReader } from './bare-reader.ts'
import { median, printTable } from './report.ts'

const DELTAS = 20_000
const DELTA = 'tick '
const WARM_UP = 2
/** With each pair of app-servers; the pairs are started in either order. */
const ROUNDS = 6

interface Seen {
  readonly deltas: number
  /** The deltas put together. */
  readonly streamed: string
  /** The message as codex repeats it at its end. */
  readonly text: string
}

interface Contestant {
  /** Opens a fresh thread, which is not measured: the history of an old one would make each turn slower. */
  prepare(): Promise<() => Promise<Seen>>
  end(): Promise<void>
}

interface Sample {
  readonly wallMs: number
  readonly cpuMs: number
}

/** This file again, as the process of the model: it says where it listens and ends with us. */
async function serveModel(): Promise<void> {
  const model = await startScriptedModel([message(DELTA, { count: DELTAS })], { repeatLast: true })
  process.send!(model.url)
  process.once('disconnect', () => void model.close())
}

async function drawbridge({ home, cwd }: { home: string; cwd: string }): Promise<Contestant> {
  const codex = await openCodex(localHost({ codexHome: home, env: BENCH_ENV, registryDir: null }))
  async function prepare() {
    const thread = await codex.startThread({ cwd })
    return async (): Promise<Seen> => {
      let deltas = 0
      let streamed = ''
      const turn = await thread.startTurn('count')
      for await (const event of turn) {
        if (event.method !== 'item/agentMessage/delta') continue
        deltas++
        streamed += event.params.delta
      }
      const outcome = await turn.outcome
      if (outcome.status !== 'completed') throw new Error(outcome.status)
      return { deltas, streamed, text: outcome.text }
    }
  }
  return { prepare, end: () => codex.close() }
}

async function bareReader({ home, cwd }: { home: string; cwd: string }): Promise<Contestant> {
  let seen = { deltas: 0, streamed: '', text: '' }
  const reader = await openBareReader({
    home,
    onNotification: ({ method, params }) => {
      if (method === 'item/agentMessage/delta') {
        seen.deltas++
        seen.streamed += params.delta
      } else if (method === 'item/completed' && params.item.type === 'agentMessage')
        seen.text = params.item.text
    },
  })
  async function prepare() {
    const threadId = await reader.startThread(cwd)
    return async (): Promise<Seen> => {
      seen = { deltas: 0, streamed: '', text: '' }
      await reader.turn(threadId, 'count')
      return seen
    }
  }
  return { prepare, end: () => reader.end() }
}

const makers = { 'bare reader': bareReader, drawbridge }
type Name = keyof typeof makers
type Samples = Record<Name, Sample[]>
const names = Object.keys(makers) as Name[]

async function measure(contestant: Contestant): Promise<Sample> {
  const turn = await contestant.prepare()
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  const { deltas, streamed, text } = await turn()
  const wallMs = performance.now() - startedAt
  const { user, system } = process.cpuUsage(cpuBefore)
  const expected = DELTA.repeat(DELTAS)
  if (deltas !== DELTAS || streamed !== expected || text !== expected)
    throw new Error(`${deltas} deltas of ${DELTAS}, ${streamed.length} and ${text.length} characters`)
  return { wallMs, cpuMs: (user + system) / 1000 }
}

async function playRounds(
  order: readonly Name[],
  { place, samples }: { place: { home: string; cwd: string }; samples: Samples },
): Promise<void> {
  const contestants = new Map<Name, Contestant>()
  for (const name of order) contestants.set(name, await makers[name](place))
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    // In changing order, so that whatever else the machine does hits both alike.
    for (const name of round % 2 ? order : order.toReversed()) {
      const sample = await measure(contestants.get(name)!)
      if (round >= 0) samples[name].push(sample)
    }
  }
  for (const contestant of contestants.values()) await contestant.end()
}

async function compare(): Promise<void> {
  const model = fork(import.meta.filename, ['model'])
  const [url] = (await once(model, 'message')) as [string]
  await using home = await makeCodexHome({ url })
  await using workspace = await makeWorkspace()
  const place = { home: home.path, cwd: workspace.path }
  const samples: Samples = { 'bare reader': [], drawbridge: [] }
  for (const order of [names, names.toReversed()]) await playRounds(order, { place, samples })
  model.disconnect()
  await once(model, 'exit')
  report(samples)
}

function report(samples: Samples): void {
  const wall = (all: readonly Sample[]) => median(all.map(({ wallMs }) => wallMs))
  const cpu = (all: readonly Sample[]) => median(all.map(({ cpuMs }) => cpuMs))
  const bare = samples['bare reader']
  printTable(
    `${DELTAS} deltas in one turn of the real codex, median of ${2 * ROUNDS} rounds`,
    Object.entries(samples).map(([who, all]) => ({
      who,
      'wall ms': wall(all).toFixed(0),
      '× bare': (wall(all) / wall(bare)).toFixed(2),
      'our CPU ms': cpu(all).toFixed(0),
      'CPU × bare': (cpu(all) / cpu(bare)).toFixed(2),
      'fastest … slowest ms': range(all.map(({ wallMs }) => wallMs)),
    })),
  )
  console.log(`ratio ${(wall(samples.drawbridge) / wall(bare)).toFixed(3)} of a bare reader (goal ≤ 1.10)`)
}

function range(values: readonly number[]): string {
  return `${Math.min(...values).toFixed(0)} … ${Math.max(...values).toFixed(0)}`
}

await (process.argv[2] === 'model' ? serveModel() : compare())
