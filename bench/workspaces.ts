// How long a task in a worktree takes to begin, of a repository with 50,000 files: from the request to the service until
// codex has its first turn, against `git worktree add` alone. In turns, so that both meet the same machine. The warm
// service, its app-server and git's files are the same for all rounds.
// Run: npm run bench:workspaces; another number of files: npm run bench:workspaces -- 5000
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { connect, type DrawbridgeClient, readToken } from '../src/api/index.ts'
import { SERVICE_NODE_FLAGS } from '../src/cli/service/start-service.ts'
import { makeCodexHome, makeWorkspace, message, startScriptedModel } from '../src/testing/index.ts'
import { median, printTable } from './report.ts'

const FILES = Number(process.argv[2] ?? 50_000)
const PER_FOLDER = 250
const ROUNDS = 5

function git(cwd: string, ...args: string[]): void {
  execFileSync('git', ['-C', cwd, ...args], { stdio: 'pipe' })
}

function makeRepository(place: string): void {
  for (let folder = 0; folder < FILES / PER_FOLDER; folder++) {
    const at = path.join(place, `part-${folder}`)
    mkdirSync(at, { recursive: true })
    for (let file = 0; file < PER_FOLDER; file++)
      writeFileSync(
        path.join(at, `${file}.ts`),
        `export const value${file} = ${folder * PER_FOLDER + file}\n`,
      )
  }
  git(place, 'init', '-q', '-b', 'main')
  git(place, 'config', 'gc.auto', '0')
  git(place, 'add', '-A')
  git(place, '-c', 'user.name=bench', '-c', 'user.email=bench@localhost', 'commit', '-q', '-m', 'All')
  // As after a clone.
  git(place, 'gc', '-q')
}

/** From the request to the first turn. */
async function startedTask(
  client: DrawbridgeClient,
  request: { cwd: string; codexHome: string },
): Promise<string> {
  const { id } = await client.tasks.start({ prompt: 'work', workspace: { kind: 'worktree' }, ...request })
  const signal = AbortSignal.timeout(300_000)
  for await (const { event } of client.tasks.follow(id, { after: 0, signal })) {
    const { status, reason } = Object(event.params) as { status?: string; reason?: string }
    if (event.method !== 'drawbridge/task') continue
    if (status === 'failed') throw new Error(reason)
    if (status === 'working') return id
  }
  throw new Error('the task did not begin')
}

async function timed<T>(work: () => Promise<T> | T): Promise<{ ms: number; result: T }> {
  const from = performance.now()
  const result = await work()
  return { ms: performance.now() - from, result }
}

const model = await startScriptedModel(() => message('done'))
const home = await makeCodexHome(model)
const data = await makeWorkspace()
const place = await makeWorkspace()
const repo = path.join(place.path, 'repo')
makeRepository(repo)
const settings = { workspaces: { folder: path.join(place.path, 'tasks') } }
writeFileSync(path.join(data.path, 'settings.json'), JSON.stringify(settings), { mode: 0o600 })
const serve = ['bin/drawbridge', 'serve', '--port', '0', '--data-dir', data.path, '--json']
const child = spawn(process.execPath, [...SERVICE_NODE_FLAGS, ...serve], {
  stdio: ['ignore', 'pipe', 'ignore'],
})
const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
const client = connect({ url: JSON.parse(line).url, token: readToken(data.path)!, actor: 'bench' })
const request = { cwd: repo, codexHome: home.path }

async function bareWorktree(round: number): Promise<number> {
  const bare = path.join(place.path, 'bare')
  const { ms } = await timed(() => git(repo, 'worktree', 'add', '-q', '-b', `bare-${round}`, bare))
  git(repo, 'worktree', 'remove', '--force', bare)
  return ms
}

async function taskInWorktree(): Promise<number> {
  const { ms, result } = await timed(() => startedTask(client, request))
  await client.tasks.wait(result)
  await client.workspaces.discard(result, {})
  return ms
}

const alone: number[] = []
const tasks: number[] = []
for (let round = 0; round <= ROUNDS; round++) {
  // Whoever comes second finds the files in memory: each is first in every other round.
  const order = round % 2 === 0 ? [bareWorktree, taskInWorktree] : [taskInWorktree, bareWorktree]
  const took = new Map<unknown, number>()
  for (const way of order) took.set(way, await way(round))
  const [bareMs, taskMs] = [took.get(bareWorktree)!, took.get(taskInWorktree)!]
  console.error(`round ${round}: ${bareMs.toFixed(0)} ms alone, ${taskMs.toFixed(0)} ms as a task`)
  // The first round starts codex.
  if (round === 0) continue
  alone.push(bareMs)
  tasks.push(taskMs)
}
const exited = once(child, 'exit')
await client.shutdown({ drain: true })
await exited
await model.close()
await Promise.all([home.remove(), data.remove(), place.remove()])

const rows = [
  ['git worktree add', alone],
  ['task in a worktree, to its first turn', tasks],
] as const
printTable(
  `${FILES} files, ${ROUNDS} rounds`,
  rows.map(([name, all]) => ({
    '': name,
    'median ms': median(all).toFixed(0),
    'least ms': Math.min(...all).toFixed(0),
  })),
)
console.log(`ratio ${(median(tasks) / median(alone)).toFixed(2)} (wanted: at most 1.3)`)
