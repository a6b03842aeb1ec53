// The service as people start it, in a process of its own, until it says where it is.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { connect, readToken } from '../src/api/index.ts'
import { SERVICE_NODE_FLAGS } from '../src/cli/service/start-service.ts'

export const LAUNCHER = 'bin/drawbridge'
const DEADLINE_MS = 60_000

export interface ServiceProcess {
  /** From the start of the process to the line that tells where it is. */
  readonly startMs: number
  end(): Promise<void>
}

export function startService(dataDir: string): Promise<ServiceProcess> {
  const args = [...SERVICE_NODE_FLAGS, LAUNCHER, 'serve', '--port', '0']
  return untilItServes(() => spawn(process.execPath, args, optionsFor(dataDir)), dataDir)
}

/** As after a clone, the second time: everything is installed and built. */
export function npmStart(dataDir: string): Promise<ServiceProcess> {
  return untilItServes(() => spawn('npm', ['start'], optionsFor(dataDir)), dataDir)
}

function optionsFor(dataDir: string) {
  return {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, DRAWBRIDGE_HOME: dataDir },
  } satisfies Parameters<typeof spawn>[2]
}

async function untilItServes(start: () => ChildProcess, dataDir: string): Promise<ServiceProcess> {
  const startedAt = performance.now()
  const child = start()
  const exited = once(child, 'exit')
  const signal = AbortSignal.timeout(DEADLINE_MS)
  const url = await urlIn(child, signal)
  const startMs = performance.now() - startedAt
  const end = async () => {
    await connect({ url, token: readToken(dataDir)!, actor: 'bench' }).shutdown({ drain: false })
    await exited
  }
  return { startMs, end }
}

async function urlIn(child: ChildProcess, signal: AbortSignal): Promise<string> {
  const lines = createInterface({ input: child.stdout!, signal })
  for await (const line of lines) {
    const url = /^Drawbridge serves at (\S+)/.exec(line)?.[1]
    if (url) return url
  }
  throw new Error('it ended before it served')
}
