// One copy of the database a day, made by a process of its own: the check of a large copy would stall this one.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants, setPriority } from 'node:os'
import { type DailyCopyOptions, keepDailyCopy } from '../../tasks/index.ts'
import { errorText } from '../process/index.ts'

/** Out of the way of the start. */
const FIRST_LOOK_MS = 5 * 60 * 1000
const EVERY_MS = 60 * 60 * 1000

export interface BackupsOptions {
  readonly tell: (line: string) => void
  readonly now: () => number
  /** Makes and checks one copy. Ends at once, leaving nothing running, when the signal aborts. */
  readonly make: (to: string, options: { signal: AbortSignal }) => Promise<void>
  readonly freeBytes?: DailyCopyOptions['freeBytes']
}

export interface Backups {
  /** Makes today's copy unless there is one. Never rejects. */
  look(): Promise<void>
  /** Resolves when no look is under way. */
  idle(): Promise<void>
  /** Ends a copy that is being made; none begins afterwards. */
  stop(): Promise<void>
}

/** Looks every hour whether a copy is due. The same problem is told once until a copy has been made. */
export function keepBackups(file: string, { tell, make, ...options }: BackupsOptions): Backups {
  const controller = new AbortController()
  const { signal } = controller
  let told = ''
  const lookOnce = async () => {
    if (signal.aborted) return
    const problem = await daily().catch((error: unknown) => `The daily backup failed: ${errorText(error)}`)
    if (problem !== '' && problem !== told && !signal.aborted) tell(problem)
    told = problem
  }
  const daily = async () => {
    const copy = await keepDailyCopy(file, { ...options, make: (to) => make(to, { signal }) })
    if (copy.status !== 'no-room') return ''
    return `No daily backup: the disk has ${megabytes(copy.freeBytes)} free, and it needs ${megabytes(copy.neededBytes)}, twice the database.`
  }
  let last = Promise.resolve()
  const look = () => (last = last.then(lookOnce))
  const first = setTimeout(() => void look(), FIRST_LOOK_MS).unref()
  const timer = setInterval(() => void look(), EVERY_MS).unref()
  const stop = () => {
    clearTimeout(first)
    clearInterval(timer)
    controller.abort(new Error('the service is stopping'))
    return last
  }
  return { look, idle: () => last, stop }
}

export interface BackupProcess {
  readonly self: readonly [string, ...string[]]
  readonly dataDir: string
  readonly env: NodeJS.ProcessEnv
}

/** `drawbridge db backup` at low priority. Rejects with what it said. */
export async function backupInProcess(
  to: string,
  { self: [program, ...args], dataDir, env }: BackupProcess,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  signal.throwIfAborted()
  const child = spawn(program, [...args, 'db', 'backup', to, '--data-dir', dataDir], {
    cwd: dataDir,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const kill = () => child.kill('SIGKILL')
  signal.addEventListener('abort', kill)
  try {
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    child.once('spawn', () => lowerPriority(child.pid!))
    const [code] = (await once(child, 'close')) as [number | null]
    signal.throwIfAborted()
    if (code !== 0)
      throw new Error(said.trim().split('\n').at(-1) || `the copying process ended with ${code}`)
  } finally {
    signal.removeEventListener('abort', kill)
  }
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // It may have ended already.
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(1)} MB`
}
