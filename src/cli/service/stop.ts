import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import type { DrawbridgeClient, Status } from '../../api/index.ts'
import { DrawbridgeError } from '../../codex/index.ts'
import { addExamples } from '../help/index.ts'
import { asTyped, EXIT, type Surroundings, UsageError } from '../process/index.ts'
import { printJson } from '../screen/index.ts'
import { acting, addServiceOptions, dataDirOf, type ServiceFlags } from './acting.ts'
import { findService } from './find-service.ts'
import { readServiceRecord } from './service-record.ts'

interface StopFlags extends ServiceFlags {
  readonly now?: boolean
  readonly kill?: boolean
}

const LOOK_MS = 100
const STATUS_MS = 1_000
const RUNNING = ['starting', 'working', 'waiting'] as const

const HELP = `
Without an option no turn begins any more, those that run are waited for, then their app-servers end too. Questions
can be answered meanwhile; queued tasks are still there at the next start.`

export function addStopCommand(program: Command, surroundings: Surroundings): void {
  const command = program
    .command('stop')
    .summary('stop the service')
    .description('Stops the service once the running turns have ended.')
    .option('--now', 'at once; turns go on in their app-servers, and the next start takes them over')
    .option('--kill', 'interrupt all turns first')
  addServiceOptions(command).action(acting(surroundings, (flags: StopFlags) => stop(flags, surroundings)))
  addExamples(
    command,
    [
      'drawbridge stop',
      ['drawbridge stop --now', 'to restart it, say: running turns do not notice'],
      ['drawbridge stop --kill', 'everything ends'],
    ],
    HELP,
  )
}

async function stop(flags: StopFlags, surroundings: Surroundings): Promise<number> {
  if (flags.now && flags.kill) throw new UsageError('--now and --kill exclude each other')
  const dataDir = dataDirOf(flags, surroundings)
  const found = await findService(dataDir)
  if (!found) {
    const { stopLeftBehind } = await import('./stop-left-behind.ts')
    return stopLeftBehind(dataDir, flags, surroundings)
  }
  const { client, record } = found
  await client.shutdown({ drain: !flags.now })
  if (flags.kill) await interruptAll(client)
  const isGone = () => readServiceRecord(dataDir)?.pid !== record.pid
  if (!(await ended({ client, isGone, surroundings }))) return EXIT.interrupted
  if (flags.json) printJson(surroundings, { stopped: true, pid: record.pid })
  else
    surroundings.stderr.write(
      `Stopped${flags.now ? '; running turns go on, and the next start takes them over' : ''}.\n`,
    )
  return EXIT.done
}

async function interruptAll(client: DrawbridgeClient): Promise<void> {
  // A service without turns may have stopped already. One that has just ended cannot be interrupted, and need not be.
  const { items } = await client.tasks.list({ status: [...RUNNING], limit: 500 }).catch(ifGone({ items: [] }))
  await Promise.all(items.map(({ id }) => client.tasks.interrupt(id).catch(() => {})))
}

function ifGone<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof DrawbridgeError && error.code === 'unreachable') return instead
    throw error
  }
}

/** False when whoever waits has had enough. */
async function ended({
  client,
  isGone,
  surroundings,
}: {
  client: DrawbridgeClient
  isGone: () => boolean
  surroundings: Surroundings
}): Promise<boolean> {
  const { interrupted: signal, stderr } = surroundings
  let told = ''
  let lookAt = performance.now()
  while (!isGone()) {
    if (signal.aborted) {
      stderr.write(
        'It still stops by itself once its turns have ended; --now or --kill do not wait for them.\n',
      )
      return false
    }
    if (performance.now() >= lookAt) {
      const line = await client.status({ signal }).then(progress, () => '')
      if (line !== '' && line !== told) stderr.write(`${line}\n`)
      told = line || told
      lookAt = performance.now() + STATUS_MS
    }
    await delay(LOOK_MS, undefined, { signal }).catch(() => {})
  }
  return true
}

export function progress({ counts }: Status): string {
  const [starting = 0, working = 0, waiting = 0] = RUNNING.map((status) => counts?.byStatus[status])
  const all = starting + working + waiting
  if (all === 0) return ''
  const asked = waiting === 0 ? '' : asTyped(` (${waiting} of them for an answer: drawbridge approvals)`)
  return `Waiting for ${all} ${all === 1 ? 'turn' : 'turns'} to end${asked} …`
}
