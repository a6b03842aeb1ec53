// A trivial turn of a task: here, on an ssh host in exec mode (codex here, commands there) and in remote mode (codex there),
// through `drawbridge serve`, turn by turn in changing order. The host is a machine of its own with a real sshd. Each may
// take 1.5 × as long as here and two round trips of its connection, which are measured. Then twenty tasks on one host at
// once, over one connection.
// Run: npm run bench:hosts
import { readdirSync, readFileSync } from 'node:fs'
import { sshHost } from '../src/hosts/ssh/index.ts'
import { makeWorkspace, message } from '../src/testing/index.ts'
import { type Place, serveHosts } from '../test/support/ssh/served-hosts.ts'
import { median, printTable } from './report.ts'

const TURNS = 20
const WARM_UP = 2
const TASKS = 20
const DEADLINE_MS = 120_000
const PLACES: readonly Place[] = ['local', 'exec', 'remote']

const hosts = await serveHosts(() => message('ok'), { settings: { maxWorking: TASKS } })
const { start, client } = hosts

async function settled(taskId: string): Promise<void> {
  const { status, reason } = await client().tasks.wait(taskId, { timeoutMs: DEADLINE_MS })
  if (status !== 'idle' && status !== 'completed') throw new Error(`${status}: ${reason}`)
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

/** The ssh processes that hold connections now. */
function connections(): number {
  return readdirSync('/proc').filter((pid) => {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      return line.startsWith('ssh\0') && line.includes('ControlMaster=yes') && line.includes(hosts.dataDir)
    } catch {
      return false // not a process, or gone
    }
  }).length
}

/** A connection of our own, to measure a round trip as often as a turn. */
const data = await makeWorkspace()
const { machine } = hosts
const address = `${machine.destination}:${machine.port}`
const probe = sshHost(
  { name: 'probe', destination: address, identity: machine.identityFile },
  { dataDir: data.path, env: process.env, now: Date.now, random: Math.random },
)
await probe.acceptKey(machine.fingerprint())
await probe.connect()
const roundTrips: number[] = []

const open = new Map<Place, string>()
const turns = new Map<Place, number[]>(PLACES.map((place) => [place, []]))
const tasks = new Map<Place, number[]>(PLACES.map((place) => [place, []]))
for (const place of PLACES) {
  const { id } = await start(place, 'hello', { keepOpen: true })
  await settled(id)
  open.set(place, id)
}
for (let round = -WARM_UP; round < TURNS; round++) {
  for (const place of round % 2 ? PLACES : PLACES.toReversed()) {
    const turn = await timed(async () => {
      await client().tasks.send(open.get(place)!, { input: 'hello' })
      await settled(open.get(place)!)
    })
    const task = await timed(async () => settled((await start(place, 'hello')).id))
    if (round < 0) continue
    turns.get(place)!.push(turn)
    tasks.get(place)!.push(task)
    roundTrips.push(await timed(async () => void (await probe.lookAt(['/']))))
  }
}
const before = connections()
const many = await timed(async () => {
  const all = Array.from({ length: TASKS }, async () => settled((await start('remote', 'hello')).id))
  await Promise.all(all)
})
const manyExec = await timed(async () => {
  const all = Array.from({ length: TASKS }, async () => settled((await start('exec', 'hello')).id))
  await Promise.all(all)
})
const held = connections()

const rows = []
let worst = 0
for (const place of PLACES) {
  const roundTripMs = median(roundTrips)
  const [turnMs, taskMs] = [turns, tasks].map((times) => median(times.get(place)!)) as [number, number]
  const goals = [turns, tasks].map((times) => 1.5 * median(times.get('local')!) + 2 * roundTripMs) as [
    number,
    number,
  ]
  if (place !== 'local') worst = Math.max(worst, turnMs / goals[0], taskMs / goals[1])
  rows.push({
    place,
    'turn ms': turnMs.toFixed(1),
    'goal ms': place === 'local' ? '' : goals[0].toFixed(1),
    'new task ms': taskMs.toFixed(1),
    'its goal ms': place === 'local' ? '' : goals[1].toFixed(1),
  })
}
const shown = `a round trip takes ${median(roundTrips).toFixed(0)} ms`
printTable(`${TURNS} trivial turns of an open task, and of new tasks, medians; ${shown}`, rows)
console.log(
  `${TASKS} tasks at once: remote ${many.toFixed(0)} ms, exec ${manyExec.toFixed(0)} ms; connections of the two hosts: ${before} before, ${held} after`,
)
await probe.close()
await hosts.close()
await data.remove()
console.log(`ratio ${worst.toFixed(3)} of 1.5 × local and two round trips, the worst of all (goal ≤ 1)`)
