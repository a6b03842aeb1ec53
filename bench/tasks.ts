// Twenty tasks at once, three commands each: through `drawbridge serve`, which keeps them in one app-server, against
// a program with one app-server for each. The last command of each task waits until all twenty are in theirs: there,
// in the same state on both sides, memory is taken (PSS): of the service or the program with its app-servers, and
// apart from it of the commands with their sandboxes, which take the same whoever runs them.
// Run: npm run bench:tasks
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { connect, readToken } from '../src/api/index.ts'
import { SERVICE_NODE_FLAGS } from '../src/cli/service/start-service.ts'
import {
  makeCodexHome,
  makeWorkspace,
  message,
  type ScriptedModel,
  shell,
  startScriptedModel,
  toolOutputs,
} from '../src/testing/index.ts'
import { median, printTable } from './report.ts'
import { type TreeMemory, treeMemory } from './tree-memory.ts'

const TASKS = 20
const ROUNDS = 3
const LOOK_MS = 20
const SETTLE_MS = 1000
const DEADLINE_MS = 120_000

/** `here` fills up with a file for each task, and `go` ends the waiting. */
const COMMANDS = [
  'echo first',
  'echo second && sleep 0.1',
  'mktemp here/XXXXXX && until [ -e go ]; do sleep 0.1; done',
]

interface Place {
  readonly url: string
  readonly cwd: string
}

interface Side {
  readonly pid: number
  /** Starts all tasks at once and resolves when every one has its answer. */
  work(): Promise<void>
  end(): Promise<void>
}

async function service({ url, cwd }: Place): Promise<Side> {
  const home = await makeCodexHome({ url })
  const data = await makeWorkspace()
  writeFileSync(path.join(data.path, 'settings.json'), JSON.stringify({ maxWorking: TASKS }), { mode: 0o600 })
  const args = [
    ...SERVICE_NODE_FLAGS,
    'bin/drawbridge',
    'serve',
    '--port',
    '0',
    '--data-dir',
    data.path,
    '--json',
  ]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  const client = connect({ url: JSON.parse(line).url, token: readToken(data.path)!, actor: 'bench' })
  const request = {
    prompt: 'work',
    cwd,
    codexHome: home.path,
    policy: { sandbox: 'workspace-write' },
    shareFolder: true,
  } as const
  const runOne = async () => {
    const { id } = await client.tasks.start(request)
    const { status, result, reason } = await client.tasks.wait(id, { timeoutMs: DEADLINE_MS })
    if (status !== 'completed' || result?.text !== 'done') throw new Error(`${status}: ${reason}`)
  }
  return {
    pid: child.pid!,
    work: async () => void (await Promise.all(Array.from({ length: TASKS }, runOne))),
    end: async () => {
      const exited = once(child, 'exit')
      await client.shutdown({ drain: true })
      await exited
      await Promise.all([home.remove(), data.remove()])
    },
  }
}

async function oneProcessEach({ url, cwd }: Place): Promise<Side> {
  const homes = await Promise.all(Array.from({ length: TASKS }, () => makeCodexHome({ url })))
  const task = { homes: homes.map((home) => home.path), cwd, sandbox: 'workspace-write' }
  const child = fork(path.join(import.meta.dirname, 'one-process-each.mjs'), [JSON.stringify(task)])
  await once(child, 'message')
  return {
    pid: child.pid!,
    work: async () => {
      child.send('go')
      await answerOf(child)
    },
    end: async () => {
      const exited = once(child, 'exit')
      child.send('end')
      await exited
      await Promise.all(homes.map((home) => home.remove()))
    },
  }
}

async function answerOf(child: ChildProcess): Promise<void> {
  const left = new AbortController()
  const signal = AbortSignal.any([left.signal, AbortSignal.timeout(DEADLINE_MS)])
  const failed = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`it ended with ${code}`)
  })
  try {
    await Promise.race([once(child, 'message', { signal }), failed])
  } finally {
    failed.catch(() => {})
    left.abort()
  }
}

const sides = { 'one process each': oneProcessEach, service }
type Name = keyof typeof sides

interface Sample extends TreeMemory {
  readonly wallMs: number
}

async function measure(name: Name, model: ScriptedModel): Promise<Sample> {
  await using workspace = await makeWorkspace()
  const cwd = workspace.path
  mkdirSync(path.join(cwd, 'here'))
  const side = await sides[name]({ url: model.url, cwd })
  const startedAt = performance.now()
  const working = side.work()
  working.catch(() => {})
  while (readdirSync(path.join(cwd, 'here')).length < TASKS) {
    if (performance.now() - startedAt > DEADLINE_MS) throw new Error('they never were all at work')
    await Promise.race([delay(LOOK_MS), working])
  }
  const pausedAt = performance.now()
  await delay(SETTLE_MS)
  const memory = treeMemory(side.pid)
  const pausedMs = performance.now() - pausedAt
  writeFileSync(path.join(cwd, 'go'), '')
  await working
  const wallMs = performance.now() - startedAt - pausedMs
  await side.end()
  return { wallMs, ...memory }
}

const model = await startScriptedModel((request) => {
  const command = COMMANDS[toolOutputs(request).length]
  return command ? shell(command, { arguments: { yield_time_ms: 30_000 } }) : message('done')
})
const samples: Record<Name, Sample[]> = { 'one process each': [], service: [] }
const names = Object.keys(sides) as Name[]
for (let round = 0; round < ROUNDS; round++)
  for (const name of round % 2 ? names : names.toReversed()) {
    process.stderr.write(`round ${round + 1} of ${ROUNDS}: ${name}\n`)
    samples[name].push(await measure(name, model))
  }
await model.close()

const of = (name: Name, field: keyof Sample) => median(samples[name].map((sample) => sample[field]))
const megabytes = (bytes: number) => (bytes / 1024 ** 2).toFixed(0)
printTable(
  `${TASKS} tasks at once, ${COMMANDS.length} commands each, median of ${ROUNDS} rounds`,
  names.map((who) => ({
    who,
    'wall ms': of(who, 'wallMs').toFixed(0),
    'PSS MB': megabytes(of(who, 'runners')),
    'its commands': megabytes(of(who, 'commands')),
  })),
)
const ratio = (value: (name: Name) => number) => (value('service') / value('one process each')).toFixed(2)
const memory = ratio((name) => of(name, 'runners'))
const wall = ratio((name) => of(name, 'wallMs'))
const all = ratio((name) => of(name, 'runners') + of(name, 'commands'))
console.log(`ratio memory ${memory} (goal ≤ 0.45), wall ${wall} (goal ≤ 0.8), memory with commands ${all}`)
