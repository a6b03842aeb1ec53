// Thousands of turns on the real codex, eight threads at once, with everything a user may do to a turn in random order,
// and codex killed now and then. In the end nothing may be open, running or grown. The same seed plays the same scenes;
// how they meet is up to the machine.
// Run: npm run soak -- [--turns 2000] [--seed 1] [--lanes 8] [--kill-every 100]
import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { getEventListeners, once, setMaxListeners } from 'node:events'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { TransportClosedError } from '../../src/codex/index.ts'
import { makeCodexHome, makeWorkspace } from '../../src/testing/index.ts'
import { Fleet } from './fleet.ts'
import { Ledger } from './ledger.ts'
import { Random } from './random.ts'
import { type Check, costChecks, printFigures, printReport } from './report.ts'
import { scenes, WEIGHTS } from './scenes.ts'
import { Killed, Stage } from './stage.ts'
import type { Vitals } from './vitals.ts'
import { activeResources, processesWith, processListeners, takeVitals, timersRunning } from './vitals.ts'

const { values: args } = parseArgs({
  options: {
    turns: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    lanes: { type: 'string', default: '8' },
    'kill-every': { type: 'string', default: '100' },
  },
})
const turns = Number(args.turns)
const seed = Number(args.seed)
const lanes = Number(args.lanes)
/** 0 means never. */
const killEvery = Number(args['kill-every'])

const TAG_VARIABLE = 'XDG_DRAWBRIDGE_SOAK'
const SAMPLE_EVERY = Math.max(1, Math.round(turns / 100))
const FIGURES_EVERY = 200
/** Replies that codex never sends are given up after five seconds. */
const QUIET_MS = 15_000
const EXIT_MS = 5_000

const startedAt = performance.now()
const ledger = new Ledger()
process.on('unhandledRejection', (reason) => ledger.violated(`unhandled rejection: ${reason}`))
process.on('uncaughtException', (error) => ledger.violated(`uncaught exception: ${error.stack}`))
process.on('warning', (warning) => ledger.violated(`warning: ${warning.message}`))
console.log(`soak: ${turns} turns, seed ${seed}, ${lanes} lanes, a kill every ${killEvery} turns`)
const listenersBefore = processListeners()
const resourcesBefore = activeResources()

/** Given to every turn and never aborted: whoever listens to it and forgets to stop is found out. */
const { signal } = new AbortController()
setMaxListeners(lanes + 1, signal)

const model = fork(path.join(import.meta.dirname, 'model.ts'))
const [url] = (await once(model, 'message')) as [string]
const home = await makeCodexHome({ url })
const workspace = await makeWorkspace()
const tag = randomUUID()
const registryDir = path.join(home.path, 'app-servers')
const host = { codexHome: home.path, registryDir, extraEnv: { [TAG_VARIABLE]: tag } }
const fleet = new Fleet({ host, cwd: workspace.path, ledger })

const samples: Vitals[] = []
let played = 0
let killAt = killEvery > 0 ? killEvery : Number.POSITIVE_INFINITY

async function playLane(lane: number): Promise<void> {
  while (ledger.counted('turns') < turns) {
    const scene = played++
    const random = new Random(seed * 1_000_003 + scene)
    await play(nextScene(random), { lane, scene, random })
    await sample()
  }
}

function nextScene(random: Random): keyof typeof scenes {
  if (ledger.counted('turns') < killAt) return random.pick(WEIGHTS)
  killAt += killEvery * (0.5 + random.next())
  return 'kill'
}

async function play(
  name: keyof typeof scenes,
  { lane, scene, random }: { lane: number; scene: number; random: Random },
): Promise<void> {
  const { thread, codex } = await fleet.threadOf(lane)
  try {
    await scenes[name](new Stage({ id: String(scene), thread, codex, fleet, ledger, random, signal }))
    ledger.count(`scene ${name}`)
  } catch (error) {
    const isOfKill =
      error instanceof Killed || (error instanceof TransportClosedError && fleet.wasKilled(codex))
    if (isOfKill) return ledger.count('scenes cut off by a kill')
    fleet.abandon(lane)
    ledger.violated(
      `scene ${scene} (${name}, seed ${seed}) on thread ${thread.id}: ${(error as Error).stack}`,
    )
  }
}

async function sample(): Promise<void> {
  const { pid } = await fleet.codex
  const last = samples.at(-1)?.turns ?? 0
  const now = ledger.counted('turns')
  if (now - last < SAMPLE_EVERY) return
  const vitals = takeVitals(now, pid)
  samples.push(vitals)
  if (Math.floor(now / FIGURES_EVERY) > Math.floor(last / FIGURES_EVERY)) figures(vitals)
}

function figures(vitals: Vitals): void {
  printFigures(vitals, { ledger, seconds: (performance.now() - startedAt) / 1000 })
}

/** Everything has settled and no timer runs: there is nothing left that could still happen. */
async function becomeQuiet(): Promise<void> {
  const endsAt = performance.now() + QUIET_MS
  while (performance.now() < endsAt && (ledger.open.length > 0 || timersRunning() > 0))
    await delay(50, undefined, { ref: false })
}

/** With the app-server still open. */
function openChecks(end: Vitals): Check[] {
  const { open } = ledger
  const settled = ledger.countedUnder('turn ').reduce((sum, [, count]) => sum + count, 0)
  const listening = getEventListeners(signal, 'abort').length
  const timers = timersRunning()
  return [
    {
      what: 'turns started and settled',
      found: `${ledger.counted('turns')}, ${settled}`,
      holds: settled === ledger.counted('turns'),
    },
    { what: 'unsettled promises', found: open.slice(0, 5).join('; ') || 'none', holds: open.length === 0 },
    { what: 'listeners on the signal of every turn', found: String(listening), holds: listening === 0 },
    {
      what: 'listeners on the process, before and after',
      found: `${listenersBefore} → ${processListeners()}`,
      holds: processListeners() === listenersBefore,
    },
    { what: 'timers still running', found: `${timers} (${activeResources()})`, holds: timers === 0 },
    ...costChecks(samples, { turns, end }),
  ]
}

/** After everything was closed. */
function closedChecks(): Check[] {
  const left = processesWith(TAG_VARIABLE, tag)
  const records = readdirSync(registryDir)
  const resources = activeResources()
  return [
    { what: 'processes left', found: left.join('; ') || 'none', holds: left.length === 0 },
    { what: 'app-servers on record', found: records.join('; ') || 'none', holds: records.length === 0 },
    {
      what: 'what keeps this process running',
      found: resources || 'nothing',
      holds: resources === resourcesBefore,
    },
    { what: 'violations', found: String(ledger.violations.length), holds: ledger.violations.length === 0 },
  ]
}

await fleet.codex
await Promise.all(Array.from({ length: lanes }, (_, lane) => playLane(lane)))
await becomeQuiet()
const end = takeVitals(ledger.counted('turns'), (await fleet.codex).pid)
figures(end)
const checks = openChecks(end)
await fleet.close()
model.disconnect()
await once(model, 'exit')
await delay(0) // its handle is let go of after its last event
checks.push(...closedChecks())
await Promise.all([home.remove(), workspace.remove()])
printReport(ledger, { samples, turns, checks })
const hasFailed = checks.some(({ holds }) => !holds)
console.log(`\nsoak ${hasFailed ? 'FAILED' : 'passed'} with seed ${seed}`)
process.exitCode = hasFailed ? 1 : 0
setTimeout(() => process.exit(1), EXIT_MS).unref() // should anything keep us running after all
