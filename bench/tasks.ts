// Twenty tasks at once, three commands each: through the service, which keeps them in one app-server, against one
// app-server for each. Memory is what driver and codex processes share out among them (PSS), sampled while they work.
// Run: npm run bench:tasks
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { openCodex } from '../src/codex/index.ts'
import { localHost } from '../src/hosts/index.ts'
import {
  makeCodexHome,
  makeWorkspace,
  message,
  shell,
  startScriptedModel,
  toolOutputs,
} from '../src/testing/index.ts'
import { median, printTable } from './report.ts'
import { openService } from './service.ts'

const TASKS = 20
const COMMANDS = 3
const ROUNDS = 3
const SAMPLE_MS = 100

interface Place {
  readonly url: string
  readonly cwd: string
}

/** Starts all tasks at once and resolves when every one has its answer. */
type Run = () => Promise<void>

async function throughService({ url, cwd }: Place): Promise<{ run: Run; end: () => Promise<void> }> {
  const home = await makeCodexHome({ url })
  const service = await openService({ maxWorking: TASKS })
  const run = async () => {
    const request = {
      prompt: 'work',
      cwd,
      codexHome: home.path,
      policy: { sandbox: 'workspace-write' },
    } as const
    const started = await Promise.all(many(() => service.tasks.start(request, { actor: 'bench' })))
    const ended = await Promise.all(started.map(({ id }) => service.tasks.wait(id, { timeoutMs: 120_000 })))
    for (const { status, result, reason } of ended)
      if (status !== 'completed' || result?.text !== 'done') throw new Error(`${status}: ${reason}`)
  }
  const end = async () => {
    await service.end()
    await home.remove()
  }
  return { run, end }
}

async function processEach({ url, cwd }: Place): Promise<{ run: Run; end: () => Promise<void> }> {
  const homes = await Promise.all(many(() => makeCodexHome({ url })))
  const ends: (() => Promise<void>)[] = homes.map((home) => () => home.remove())
  const run = async () => {
    await Promise.all(
      homes.map(async (home) => {
        const codex = await openCodex(localHost({ codexHome: home.path, registryDir: null }))
        ends.unshift(() => codex.close())
        const thread = await codex.startThread({ cwd, sandbox: 'workspace-write' })
        const outcome = await (await thread.startTurn('work')).outcome
        if (outcome.status !== 'completed' || outcome.text !== 'done') throw new Error(outcome.status)
      }),
    )
  }
  const end = async () => {
    for (const each of ends) await each()
  }
  return { run, end }
}

const sides = { 'one process each': processEach, service: throughService }
type Name = keyof typeof sides

/** This file again, as one side: told to go, it works, and waits to be told to end. */
async function playSide(name: Name, place: Place): Promise<void> {
  const { run, end } = await sides[name](place)
  process.send!('ready')
  await once(process, 'message')
  const startedAt = performance.now()
  await run()
  process.send!(performance.now() - startedAt)
  await once(process, 'message')
  await end()
  process.disconnect()
}

async function measure(name: Name, place: Place): Promise<{ wallMs: number; peakBytes: number }> {
  const child = fork(import.meta.filename, [name, JSON.stringify(place)])
  await once(child, 'message')
  let peakBytes = 0
  const sampling = setInterval(() => {
    peakBytes = Math.max(peakBytes, treeBytes(child))
  }, SAMPLE_MS)
  child.send('go')
  const [wallMs] = (await once(child, 'message')) as [number]
  peakBytes = Math.max(peakBytes, treeBytes(child))
  clearInterval(sampling)
  child.send('end')
  await once(child, 'exit')
  return { wallMs, peakBytes }
}

/** Driver, app-servers and their commands: everything that descends from it, detached or not. */
function treeBytes({ pid }: ChildProcess): number {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const stat = read(`/proc/${name}/stat`)
    parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
  }
  const isInTree = (each: number): boolean => each === pid || (each > 1 && isInTree(parents.get(each) ?? 0))
  const inTree = [...parents.keys()].filter(isInTree)
  return inTree.reduce((sum, each) => sum + pssOf(each), 0)
}

function pssOf(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) * 1024
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function many<T>(make: () => Promise<T>): Promise<T>[] {
  return Array.from({ length: TASKS }, make)
}

async function compare(): Promise<void> {
  const model = await startScriptedModel((request) => {
    const done = toolOutputs(request).length
    return done < COMMANDS ? shell(`echo ${done} && sleep 0.1`) : message('done')
  })
  await using workspace = await makeWorkspace()
  const place = { url: model.url, cwd: workspace.path }
  const samples: Record<Name, { wallMs: number; peakBytes: number }[]> = {
    'one process each': [],
    service: [],
  }
  const names = Object.keys(sides) as Name[]
  for (let round = 0; round < ROUNDS; round++)
    for (const name of round % 2 ? names : names.toReversed()) {
      process.stderr.write(`round ${round + 1} of ${ROUNDS}: ${name}\n`)
      samples[name].push(await measure(name, place))
    }
  await model.close()
  const of = (name: Name, field: 'wallMs' | 'peakBytes') =>
    median(samples[name].map((sample) => sample[field]))
  printTable(
    `${TASKS} tasks at once, ${COMMANDS} commands each, median of ${ROUNDS} rounds`,
    names.map((who) => ({
      who,
      'wall ms': of(who, 'wallMs').toFixed(0),
      'peak PSS MB': (of(who, 'peakBytes') / 1024 ** 2).toFixed(0),
    })),
  )
  const memory = of('service', 'peakBytes') / of('one process each', 'peakBytes')
  const wall = of('service', 'wallMs') / of('one process each', 'wallMs')
  console.log(`ratio memory ${memory.toFixed(2)} (goal ≤ 0.45), wall ${wall.toFixed(2)} (goal ≤ 0.8)`)
}

const [, , side, place] = process.argv
await (side && place ? playSide(side as Name, JSON.parse(place)) : compare())
