// 30 trivial turns on one thread: our client against a bare script that writes and reads the same lines, on the same
// binary and the same scripted model. Beside them OpenAI's TypeScript SDK, which starts a process per turn.
// Run: npm run bench:turn
import { Codex as Sdk } from '@openai/codex-sdk'
import { openCodex } from '../src/codex/index.ts'
import { localHost } from '../src/hosts/index.ts'
import { makeCodexHome, makeWorkspace, message, startScriptedModel } from '../src/testing/index.ts'
import { BENCH_ENV, openBareReader } from './bare-reader.ts'
import { median, printTable } from './report.ts'

const TURNS = 30
const WARM_UP = 3
const ROUNDS = 3

await using model = await startScriptedModel([message('ok')], { repeatLast: true })
await using home = await makeCodexHome(model)
await using workspace = await makeWorkspace({ git: true })
const cwd = workspace.path
const host = localHost({ codexHome: home.path, env: BENCH_ENV, registryDir: null })
const { path: codexPath } = await host.inspect()

interface Contestant {
  turn(): Promise<void>
  end(): Promise<void>
}

async function drawbridge(): Promise<Contestant> {
  const codex = await openCodex(host)
  const thread = await codex.startThread({ cwd })
  return {
    async turn() {
      const turn = await thread.startTurn('hello')
      for await (const _ of turn);
      const outcome = await turn.outcome
      if (outcome.status !== 'completed') throw new Error(outcome.status)
    },
    end: () => codex.close(),
  }
}

async function bare(): Promise<Contestant> {
  const reader = await openBareReader({ home: home.path })
  const threadId = await reader.startThread(cwd)
  return { turn: () => reader.turn(threadId, 'hello'), end: () => reader.end() }
}

async function sdk(): Promise<Contestant> {
  const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', CODEX_HOME: home.path }
  const codex = new Sdk({ codexPathOverride: codexPath, env })
  const thread = codex.startThread({
    workingDirectory: cwd,
    skipGitRepoCheck: true,
    sandboxMode: 'read-only',
  })
  return {
    async turn() {
      await thread.run('hello')
    },
    end: () => Promise.resolve(),
  }
}

const makers = { 'bare script': bare, drawbridge, '@openai/codex-sdk': sdk }
type Name = keyof typeof makers
const names = Object.keys(makers) as Name[]
const times = new Map<Name, number[]>(names.map((name) => [name, []]))
for (let round = 0; round < ROUNDS; round++) {
  const contestants = new Map<Name, Contestant>()
  for (const name of names) contestants.set(name, await makers[name]())
  for (let turn = -WARM_UP; turn < TURNS; turn++) {
    // Turn by turn and in changing order, so that whatever else the machine does hits all alike.
    for (const name of turn % 2 ? names : names.toReversed()) {
      const startedAt = performance.now()
      await contestants.get(name)!.turn()
      if (turn >= 0) times.get(name)!.push(performance.now() - startedAt)
    }
  }
  for (const contestant of contestants.values()) await contestant.end()
}

const base = median(times.get('bare script')!)
printTable(
  `${TURNS} trivial turns, ${ROUNDS} rounds, median of a turn`,
  [...times].map(([who, all]) => ({
    who,
    ms: median(all).toFixed(1),
    '× bare': (median(all) / base).toFixed(2),
  })),
)
console.log(`ratio ${(median(times.get('drawbridge')!) / base).toFixed(3)} of a bare script (goal ≤ 1.05)`)
