// How long a person waits: for a command to answer, for the library to load, for the service to start. Beside a Node
// that does nothing, turn by turn, so that whatever else the machine does hits all alike.
// Run: npm run bench:cli
import { spawnSync } from 'node:child_process'
import { openDatabase } from '../src/tasks/index.ts'
import { makeWorkspace } from '../src/testing/index.ts'
import { fillLog } from './log-size.ts'
import { median, printTable } from './report.ts'
import { LAUNCHER, npmStart, startService } from './service-process.ts'

const ROUNDS = 25
const STARTS = 7
const TASKS = 10_000
const EVENTS_EACH = 10

const BARE = 'node -e 0'
/** What is run, and how many times a bare Node it may take. */
const COMMANDS: Readonly<Record<string, { args: readonly string[]; goal: number }>> = {
  [BARE]: { args: ['-e', '0'], goal: 1 },
  '--version': { args: [LAUNCHER, '--version'], goal: 2 },
  '--help': { args: [LAUNCHER, '--help'], goal: 2 },
  'tab completion': { args: [LAUNCHER, '__complete', '--', 'ta'], goal: 2 },
  'task list --json': { args: [LAUNCHER, 'task', 'list', '--json'], goal: 3 },
}
const IMPORT = "import 'codex-drawbridge'"
const IMPORT_GOAL_MS = 60

await using data = await makeWorkspace()
const times = await measureCommands()
const base = median(times.get(BARE)!)
const ratioOf = (name: string) => median(times.get(name)!) / base
printTable(
  `Commands, median of ${ROUNDS}`,
  Object.entries(COMMANDS).map(([command, { goal }]) => ({
    command,
    ms: median(times.get(command)!).toFixed(0),
    '× bare': ratioOf(command).toFixed(2),
    goal: `≤ ${goal}`,
  })),
)
const importMs = median(times.get(IMPORT)!) - base
console.log(`${IMPORT}: ${importMs.toFixed(0)} ms over a bare Node (goal ≤ ${IMPORT_GOAL_MS})\n`)

const starts = await measureStarts()
printTable(
  `Start of the service to its first line, median of ${STARTS}`,
  Object.entries(starts).map(([what, all]) => ({ what, ms: median(all).toFixed(0) })),
)
const grown = median(starts[`${TASKS} tasks`]!) / median(starts.empty!)
console.log(`second npm start, to its link: goal ≤ 3000 ms\n`)
console.log(
  [
    `ratio --version ${ratioOf('--version').toFixed(2)}, --help ${ratioOf('--help').toFixed(2)},`,
    `completion ${ratioOf('tab completion').toFixed(2)} (goal ≤ 2),`,
    `task list ${ratioOf('task list --json').toFixed(2)} (goal ≤ 3),`,
    `import +${importMs.toFixed(0)} ms (goal ≤ ${IMPORT_GOAL_MS}),`,
    `start with ${TASKS} tasks ${grown.toFixed(2)} (goal ≤ 1.5),`,
    `npm start ${(median(starts['npm start']!) / 1000).toFixed(1)} s (goal ≤ 3)`,
  ].join(' '),
)

async function measureCommands(): Promise<Map<string, number[]>> {
  const service = await startService(data.path)
  const runs = [
    ...Object.entries(COMMANDS).map(([name, { args }]) => [name, args] as const),
    [IMPORT, ['--input-type=module', '-e', IMPORT]] as const,
  ]
  const all = new Map<string, number[]>(runs.map(([name]) => [name, []]))
  for (let round = -1; round < ROUNDS; round++)
    for (const [name, args] of round % 2 ? runs : runs.toReversed()) {
      const ms = timeOf(args)
      // The first fills the caches.
      if (round >= 0) all.get(name)!.push(ms)
    }
  await service.end()
  return all
}

function timeOf(args: readonly string[]): number {
  const env = { ...process.env, DRAWBRIDGE_HOME: data.path }
  const startedAt = performance.now()
  const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
  const ms = performance.now() - startedAt
  if (status !== 0) throw new Error(`${args.join(' ')} exited with ${status}: ${stderr}`)
  return ms
}

async function measureStarts(): Promise<Record<string, number[]>> {
  await using full = await makeWorkspace()
  const database = await openDatabase({ dataDir: full.path, now: Date.now })
  await fillLog(database.db, { tasks: TASKS, events: TASKS * EVENTS_EACH })
  await database.close()
  const places = {
    empty: () => startService(data.path),
    [`${TASKS} tasks`]: () => startService(full.path),
    'npm start': () => npmStart(data.path),
  }
  const all: Record<string, number[]> = {}
  for (let round = -1; round < STARTS; round++)
    for (const [what, start] of Object.entries(places)) {
      const service = await start()
      if (round >= 0) all[what] = [...(all[what] ?? []), service.startMs]
      await service.end()
    }
  return all
}
