// Tasks on an ssh host in both modes, through `drawbridge serve` with the times it has for users: the link is down for 60 s
// in the middle of a turn and of a question, then slow (200 ms each way), then ssh, the connection's process there, the
// exec-server and the service are killed again and again. In the end no turn is lost by any of it, no question was put twice, nothing that was
// begun was begun again, and nothing is left running on the host.
// Run: npm run test:hosts -- [--down 60] [--rounds 5] [--seed 1]
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { masterPid } from '../support/ssh/leftovers.ts'
import { saysWhatItRan } from '../support/ssh/says-what-it-ran.ts'
import { type Place, serveHosts } from '../support/ssh/served-hosts.ts'
import { Random } from './random.ts'

const { values: args } = parseArgs({
  options: {
    down: { type: 'string', default: '60' },
    rounds: { type: 'string', default: '5' },
    seed: { type: 'string', default: '1' },
  },
})
const random = new Random(Number(args.seed))
const MODES = ['exec', 'remote'] as const
const WAIT_MS = 180_000
const violations: string[] = []

const hosts = await serveHosts(saysWhatItRan, { isSlow: true, settings: { maxWorking: 20 } })
const { machine, model } = hosts
let named = 0

interface Begun {
  readonly place: Place
  readonly text: string
  readonly turn: string
  readonly question: string
}

/** A turn in the middle of a command there, and one that asks. */
async function begin(place: Place): Promise<Begun> {
  const text = `number-${++named}`
  const tasks = hosts.client().tasks
  const turn = await hosts.start(place, `echo begun; sleep 4; echo ${text}`)
  const question = await hosts.start(place, `outside: echo ${text}`)
  const asked = await tasks.wait(question.id, { timeoutMs: WAIT_MS })
  if (asked.status !== 'waiting')
    violations.push(`${place}: the question came to ${asked.status}, ${asked.reason}`)
  return { place, text, turn: turn.id, question: question.id }
}

async function check({ place, text, turn, question }: Begun, what: string): Promise<void> {
  const { tasks } = hosts.client()
  const ended = await tasks.wait(turn, { timeoutMs: WAIT_MS })
  // In exec mode codex gives up a host after 25 s: then the command has failed, and the turn has not.
  if (ended.status !== 'completed') violations.push(`${place}, ${what}: ${ended.status}, ${ended.reason}`)
  const { items } = await hosts.client().approvals({ taskId: question })
  if (items.length !== 1) violations.push(`${place}, ${what}: ${items.length} questions instead of one`)
  await hosts.client().answer(items[0]!.id, { answer: 'once' })
  const answered = await tasks.wait(question, { timeoutMs: WAIT_MS })
  if (answered.status !== 'completed')
    violations.push(`${place}, ${what}: ${answered.status}, ${answered.reason}`)
  const asks = model.requests.filter(({ body }) => JSON.stringify(body).includes(text)).length
  if (asks !== 4) violations.push(`${place}, ${what}: the model was asked ${asks} times instead of four`)
  console.log(
    `${place}, ${what}: ${ended.status} (${ended.result?.text?.includes(text) ? 'its command too' : 'its command failed'})`,
  )
}

async function fault(what: string, happens: () => Promise<unknown>): Promise<void> {
  const begun = await Promise.all(MODES.map(begin))
  await happens()
  for (const each of begun) await check(each, what)
}

const seconds = Number(args.down)
await fault(`the link was down for ${seconds} s`, () => machine.cutFor(seconds * 1000))
machine.delay(200)
await fault('the link is slow', async () => {})
machine.delay(0)
const restart = async () => {
  await hosts.kill()
  await delay(random.between(0, 2_000))
  await hosts.serve()
}
const faults: Record<string, () => Promise<unknown>> = {
  'the service was killed': restart,
  'ssh was killed': async () => process.kill(masterPid(hosts.dataDir), 'SIGKILL'),
  'the process of the connection there was killed': () => machine.killSessions(),
  // The command that ran is lost then, and the turn is not.
  'the exec-server was killed': () => machine.kill(`${machine.codexPath} exec-server`),
  'the link was down for a moment': () => machine.cutFor(random.between(500, 8_000)),
}
for (let round = 0; round < Number(args.rounds); round++) {
  const names = Object.keys(faults)
  const what = names[random.between(0, names.length - 1)]!
  await fault(what, faults[what]!)
}
const left = (await machine.commands()).filter((line) => line.includes('sleep'))
if (left.length > 0) violations.push(`left on the host: ${left.join('; ')}`)
await hosts.close()
for (const violation of violations) console.error(violation)
console.log(violations.length === 0 ? 'no violation' : `${violations.length} violations`)
process.exitCode = violations.length === 0 ? 0 : 1
