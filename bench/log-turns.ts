// A turn of many deltas from the real codex: stored and followed over SSE, against bare readers of the same binary and
// model, in changing order, so that whatever else the machine does hits all alike.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { connect, readToken } from '../src/api/index.ts'
import { makeCodexHome, makeWorkspace } from '../src/testing/index.ts'
import { openBareReader } from './bare-reader.ts'
import { processorMs } from './processor-time.ts'
import { median, printTable } from './report.ts'
import { openService } from './service.ts'

export const DELTAS = 20_000
export const DELTA = 'tick '
const WARM_UP = 1

interface Contestant {
  /** Of its codex. */
  codexPid(): number
  /** A fresh thread that has had one short turn. */
  prepare(): Promise<() => Promise<string>>
  end(): Promise<void>
}

interface Place {
  readonly home: string
  readonly cwd: string
  readonly databaseUrl: string | undefined
}

async function service({ home, cwd, databaseUrl }: Place): Promise<Contestant> {
  const opened = await openService({ databaseUrl })
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
  return { codexPid: () => opened.tasks.appServers()[0]?.pid ?? 0, prepare, end: () => opened.end() }
}

async function bareReader({ home, cwd }: Place, socketPath?: string): Promise<Contestant> {
  let text = ''
  const reader = await openBareReader({
    home,
    onNotification: ({ method, params }) => {
      if (method === 'item/completed' && params.item.type === 'agentMessage') text = params.item.text
    },
    ...(socketPath !== undefined && { socketPath }),
  })
  async function prepare() {
    const threadId = await reader.startThread(cwd)
    await reader.turn(threadId, 'hello')
    return async () => {
      await reader.turn(threadId, 'count')
      return text
    }
  }
  return { codexPid: () => reader.pid, prepare, end: () => reader.end() }
}

const makers = {
  'bare reader': (place: Place) => bareReader(place),
  'bare, on a socket': (place: Place) => bareReader(place, path.join(place.home, 'bare.sock')),
  service,
}
type Name = keyof typeof makers
const names = Object.keys(makers) as Name[]

interface Sample {
  readonly wallMs: number
  readonly ownMs: number
  readonly codexMs: number
}

async function measure(contestant: Contestant): Promise<Sample> {
  const turn = await contestant.prepare()
  const pid = contestant.codexPid()
  const before = { wall: performance.now(), own: processorMs(process.pid), codex: processorMs(pid) }
  const text = await turn()
  const wallMs = performance.now() - before.wall
  const ownMs = processorMs(process.pid) - before.own
  const codexMs = processorMs(pid) - before.codex
  if (text !== DELTA.repeat(DELTAS)) throw new Error(`the answer has ${text.length} characters`)
  return { wallMs, ownMs, codexMs }
}

/** What the service takes of a bare reader's: in time, in processor time, and of one on a socket as the service's is. */
export interface TurnRatios {
  readonly wall: number
  readonly processor: number
  readonly wallOnSocket: number
  readonly processorOnSocket: number
}

export async function compareTurns(options: {
  rounds: number
  databaseUrl: string | undefined
}): Promise<TurnRatios> {
  const model = fork(path.join(import.meta.dirname, 'log-model.ts'))
  const [url] = (await once(model, 'message')) as [string]
  await using home = await makeCodexHome({ url })
  await using workspace = await makeWorkspace()
  const place = { home: home.path, cwd: workspace.path, databaseUrl: options.databaseUrl }
  const samples: Record<Name, Sample[]> = { 'bare reader': [], 'bare, on a socket': [], service: [] }
  const contestants = new Map<Name, Contestant>()
  for (const name of names) contestants.set(name, await makers[name](place))
  for (let round = -WARM_UP; round < options.rounds; round++)
    for (const name of round % 2 ? names : names.toReversed()) {
      const sample = await measure(contestants.get(name)!)
      if (round >= 0) samples[name].push(sample)
    }
  for (const contestant of contestants.values()) await contestant.end()
  model.disconnect()
  await once(model, 'exit')
  return ratiosOf(samples)
}

function ratiosOf(samples: Record<Name, Sample[]>): TurnRatios {
  const of = (name: Name, field: keyof Sample) => median(samples[name].map((sample) => sample[field]))
  const wallsOf = (name: Name) => samples[name].map(({ wallMs }) => wallMs)
  printTable(
    `${DELTAS} deltas stored and followed over SSE, median of ${samples.service.length} rounds`,
    names.map((who) => ({
      who,
      'wall ms': of(who, 'wallMs').toFixed(0),
      'from … to': `${Math.min(...wallsOf(who)).toFixed(0)} … ${Math.max(...wallsOf(who)).toFixed(0)}`,
      'own processor ms': of(who, 'ownMs').toFixed(0),
      "codex's": of(who, 'codexMs').toFixed(0),
    })),
  )
  const processor = (name: Name) => of(name, 'ownMs') + of(name, 'codexMs')
  return {
    wall: of('service', 'wallMs') / of('bare reader', 'wallMs'),
    processor: processor('service') / processor('bare reader'),
    wallOnSocket: of('service', 'wallMs') / of('bare, on a socket', 'wallMs'),
    processorOnSocket: processor('service') / processor('bare, on a socket'),
  }
}
