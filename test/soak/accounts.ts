// Tasks on a pool of accounts whose refresh tokens work once, while access tokens are refused, codex and the service are
// killed and leases are stolen. In the end no refresh token was used twice, no renewal is lost, and no turn began on a
// login without its lease.
// Run: npm run test:accounts -- [--turns 200] [--seed 1] [--tasks 8] [--accounts 3] [--kills 1]; more `kills` are more kills
// of codex and the service among the troubles.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { connect, type DrawbridgeClient, readToken, type Task } from '../../src/api/index.ts'
import {
  codexConfig,
  lastUserText,
  makeWorkspace,
  message,
  startScriptedModel,
} from '../../src/testing/index.ts'
import { startAccountIssuer } from '../support/account-issuer.ts'
import { PROGRAM } from '../support/program.ts'
import { Random } from './random.ts'

const { values: args } = parseArgs({
  options: {
    turns: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    tasks: { type: 'string', default: '8' },
    accounts: { type: 'string', default: '3' },
    kills: { type: 'string', default: '1' },
  },
})
const [turns, seed, lanes, count] = [args.turns, args.seed, args.tasks, args.accounts].map(Number) as [
  number,
  number,
  number,
  number,
]
const random = new Random(seed)
const names = Array.from({ length: count }, (_, index) => `acc-${index}`)
const violations: string[] = []
const done = { turns: 0, resumed: 0, refused: 0, codexKills: 0, serviceKills: 0, thefts: 0 }

/**
 * From the last look at the lease to the first call of the model, on a machine with much else to do. Leases are stolen for
 * longer, and looked at by themselves only every 10 s: turns that begin without a look would still be seen.
 */
const ON_ITS_WAY_MS = 1_500
/** When each prompt first reached the model, on which account. */
const begun = new Map<string, { account: string; at: number }>()
const stolen: { account: string; from: number; until: number }[] = []

const model = await startScriptedModel(async (request) => {
  const prompt = lastUserText(request)
  const account = request.headers['chatgpt-account-id'] ?? ''
  if (!begun.has(prompt)) begun.set(prompt, { account, at: Date.now() })
  await delay(random.between(5, 150))
  return message(`done ${prompt}`)
})
const issuer = await startAccountIssuer(model)
const workspace = await makeWorkspace()
const dataDir = path.join(workspace.path, '..', `${path.basename(workspace.path)}-data`)
const env = {
  ...process.env,
  ...issuer.env,
  ...{ DRAWBRIDGE_HOME: dataDir, DRAWBRIDGE_PORT: '0', CODEX_HOME: path.join(dataDir, 'no-home') },
}
// Codex is killed more often than a crash loop may be: it would not be started for minutes, and tasks fail meanwhile.
const settings = { maxWorking: 20, appServers: { crashLoop: { count: 10_000, withinMs: 60_000 } } }
mkdirSync(dataDir, { mode: 0o700 })
writeFileSync(path.join(dataDir, 'settings.json'), JSON.stringify(settings), { mode: 0o600 })
let service = await serve()
const client = (): DrawbridgeClient =>
  connect({ url: record().url!, token: readToken(dataDir)!, actor: 'soak' })
for (const name of names)
  await client().accounts.add({
    ...{ name, pools: ['team'], config: codexConfig(model, issuer.home) },
    login: { type: 'authJson', authJson: issuer.login(name).authJson },
  })
console.log(`accounts soak: ${turns} turns, seed ${seed}, ${lanes} tasks on ${count} accounts`)
const over = new AbortController()
const chaos = makeTrouble(over.signal)
await Promise.all(Array.from({ length: lanes }, (_, lane) => runLane(lane)))
over.abort()
await chaos
await judge()
await end()
console.log(JSON.stringify({ ...done, refreshes: names.map((name) => issuer.family(name).refreshes) }))
for (const violation of violations) console.log(`VIOLATION: ${violation}`)
console.log(violations.length === 0 ? `accounts soak passed with seed ${seed}` : 'accounts soak FAILED')
process.exit(violations.length === 0 ? 0 : 1)

async function serve(): Promise<ChildProcess> {
  const child = spawn(process.execPath, [PROGRAM, 'serve'], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  child.stderr!.resume()
  for (;;) {
    if (record(child.pid).url) return child
    if (child.exitCode !== null) throw new Error('the service did not start')
    await delay(50)
  }
}

/** Without a pid, of whatever service there is. */
function record(pid?: number): { url: string | null } {
  try {
    const text = readFileSync(path.join(dataDir, 'service.json'), 'utf8')
    const found = JSON.parse(text) as { pid: number; url: string | null }
    return pid === undefined || found.pid === pid ? found : { url: null }
  } catch {
    return { url: null }
  }
}

/** Asks again while the service is away. */
async function persist<T>(call: () => Promise<T>): Promise<T> {
  const until = Date.now() + 90_000
  for (;;) {
    try {
      return await call()
    } catch (error) {
      if (Date.now() > until) throw error
      await delay(200)
    }
  }
}

/** One task, one turn after the other, until all lanes together have had enough. */
async function runLane(lane: number): Promise<void> {
  let task: Task | null = null
  for (let turn = 0; done.turns < turns; turn++) {
    const prompt = `lane ${lane} turn ${turn}`
    const key = `${seed}-${prompt}`
    const id: string | undefined = task?.id
    if (id === undefined)
      task = await persist(() =>
        client().tasks.start({ prompt, cwd: workspace.path, account: 'pool:team', keepOpen: true }, { key }),
      )
    else await persist(() => client().tasks.send(id, { input: prompt }, { key }))
    await untilAnswered(task!.id, prompt)
    done.turns++
  }
}

async function untilAnswered(id: string, prompt: string): Promise<void> {
  const until = Date.now() + 240_000
  // A turn that died before the model was called goes on with "Continue.".
  let isResumed = false
  for (;;) {
    const task = await persist(() => client().tasks.get(id))
    const isResting = ['idle', 'failed', 'lost', 'interrupted', 'limited'].includes(task.status)
    if (task.status === 'idle' && (begun.has(prompt) || isResumed)) return
    if (isResting && task.status !== 'idle') {
      done.resumed++
      isResumed = true
      await persist(() => client().tasks.resume(id, {})).catch(() => {})
    }
    if (Date.now() > until) {
      violations.push(
        `${prompt} was never answered: the task is ${task.status}, ${task.reason}${await toldOf(id)}`,
      )
      return
    }
    await delay(100)
  }
}

/** The end of what its log says. */
async function toldOf(id: string): Promise<string> {
  const { lastSeq } = await client().tasks.get(id)
  const { events } = await client().tasks.events(id, { after: Math.max(0, lastSeq - 60), limit: 100 })
  const own = events.filter(({ event }) => event.method.startsWith('drawbridge/'))
  return own
    .map(({ at, event }) => `\n    ${at} ${event.method} ${JSON.stringify(event.params).slice(0, 300)}`)
    .join('')
}

async function makeTrouble(signal: AbortSignal): Promise<void> {
  const act = {
    refuse: () => refuse(),
    codex: () => killCodex(),
    service: () => killService(),
    theft: () => steal(),
  }
  const kills = Number(args.kills)
  const weights = { refuse: 6, codex: 2 * kills, service: kills, theft: 2 }
  while (!signal.aborted) {
    await delay(random.between(200, 900), undefined, { signal }).catch(() => {})
    if (!signal.aborted) await act[random.pick(weights)]()
  }
}

/** Codex renews the login in the middle of a turn. */
function refuse(): void {
  done.refused++
  issuer.expire(names[random.between(0, count - 1)]!)
}

/** Not in the moment between OpenAI's answer to a refresh and its file: what it had not written is lost to anybody. */
async function untilQuiet(): Promise<void> {
  while (Date.now() - issuer.lastRefreshAt() < 700) await delay(50)
}

async function killCodex(): Promise<void> {
  const folder = path.join(dataDir, 'app-servers')
  // Made with the first of them.
  if (!existsSync(folder)) return
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
  const file = files[random.between(0, Math.max(0, files.length - 1))]
  if (file === undefined) return
  await untilQuiet()
  try {
    const { pid } = JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as { pid: number }
    // A record that is made before the process has 0, which is everybody here.
    if (pid > 1) process.kill(pid, 'SIGKILL')
    done.codexKills++
  } catch {} // it has just ended
}

async function killService(): Promise<void> {
  const exited = once(service, 'exit')
  service.kill('SIGKILL')
  await exited
  done.serviceKills++
  // Codex works on, and renews logins, without it.
  issuer.expire(names[random.between(0, count - 1)]!)
  await delay(random.between(0, 1_500))
  service = await serve()
}

/**
 * Another worker has the lease for a while. A turn that ran already is ended within the time of a renewal; what codex
 * renews in it from then on belongs to nobody, so no token is refused meanwhile.
 */
async function steal(): Promise<void> {
  const account = names[random.between(0, count - 1)]!
  await untilQuiet()
  if (issuer.family(account).accessToken === 'none') return
  sqlite(
    `update accounts set lease_holder = 'thief', lease_generation = lease_generation + 1,
      lease_until = ${Date.now() + 600_000} where name = '${account}'`,
  )
  const from = Date.now()
  done.thefts++
  await delay(random.between(1_000, 5_000))
  stolen.push({ account, from, until: Date.now() })
  sqlite(`update accounts set lease_holder = null, lease_until = null where name = '${account}'`)
}

function sqlite(statement: string): void {
  const database = new DatabaseSync(path.join(dataDir, 'drawbridge.db'))
  database.exec('pragma busy_timeout = 10000')
  database.exec(statement)
  database.close()
}

async function judge(): Promise<void> {
  if (issuer.reused.length > 0) violations.push(`${issuer.reused.length} refresh tokens were used twice`)
  for (const [prompt, { account, at }] of begun) {
    const theft = stolen.find(
      (each) => each.account === account && at > each.from + ON_ITS_WAY_MS && at < each.until,
    )
    if (theft)
      violations.push(`${prompt} began on ${account} ${at - theft.from} ms after its lease was stolen`)
  }
  await stop()
  // All codex processes are gone: what is stored must be what OpenAI gave last.
  service = await serve()
  for (const name of names) {
    const { verdict, message: why } = await persist(() => client().accounts.check(name))
    if (verdict !== 'alive') violations.push(`${name} is ${verdict}: ${why}`)
    else if (!why.includes('renewed')) violations.push(`${name} was not renewed at the end: ${why}`)
  }
}

async function stop(): Promise<void> {
  await once(spawn(process.execPath, [PROGRAM, 'stop', '--kill'], { env, stdio: 'ignore' }), 'exit')
}

async function end(): Promise<void> {
  await stop()
  await issuer.close()
  await model.close()
  await workspace.remove()
  rmSync(dataDir, { recursive: true, force: true })
}
