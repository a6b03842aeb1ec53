// Starts the service in the background, when a command needs one and none runs.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, statSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { DrawbridgeError } from '../../codex/index.ts'
import { asTyped, type Surroundings } from '../process/index.ts'
import { makeDataFolder } from './data-folder.ts'
import { findService, type RunningService } from './find-service.ts'
import { logFile, logTail, openLog } from './log-file.ts'
import { IN_USE_EXIT } from './service-record.ts'

/** A service on PostgreSQL waits 30 s for its database. */
const DEADLINE_MS = 40_000
const TELL_MS = 5_000
const LOOK_MS = 50

/**
 * Half of Node's default for young objects: 25 MB less in a busy service, and a stream of deltas is no slower (with a
 * quarter it is).
 */
export const SERVICE_NODE_FLAGS: readonly string[] = ['--max-semi-space-size=8']

/** Another command may do the same at the same moment: whichever comes first serves both. */
export async function startService(dataDir: string, surroundings: Surroundings): Promise<RunningService> {
  const { stderr, interrupted } = surroundings
  makeDataFolder(dataDir)
  const logged = statSync(logFile(dataDir), { throwIfNoEntry: false })?.size ?? 0
  const child = spawnService(dataDir, surroundings)
  const endsAt = performance.now() + DEADLINE_MS
  const exited = once(child, 'exit').then(
    ([code]) => code as number | null,
    () => null,
  )
  let exitCode: number | null | undefined
  let tellAt = performance.now() + TELL_MS
  while (performance.now() < endsAt) {
    interrupted.throwIfAborted()
    const service = await findService(dataDir)
    if (service) {
      stderr.write(startedLine(service.record.pid))
      return service
    }
    if (performance.now() > tellAt) {
      stderr.write(waitingLine(logTail(dataDir, { since: logged })))
      tellAt = Number.POSITIVE_INFINITY
    }
    if (exitCode !== undefined && exitCode !== IN_USE_EXIT) break
    // When another start was quicker, its service will be there soon.
    if (exitCode === undefined) exitCode = await Promise.race([exited, delay(LOOK_MS, undefined)])
    else await delay(LOOK_MS)
  }
  throw new DrawbridgeError(notStarted(dataDir, logTail(dataDir, { since: logged })), {
    code: 'service-not-started',
  })
}

function notStarted(dataDir: string, said: readonly string[]): string {
  if (said.length === 0)
    return `the service did not start, and ${logFile(dataDir)} does not say why (is the disk full?): try \`drawbridge serve\``
  return [
    `the service did not start; ${logFile(dataDir)} ends with:`,
    ...said.map((line) => `  ${line}`),
  ].join('\n')
}

function waitingLine(said: readonly string[]): string {
  return `The service is still starting${said.length > 0 ? `: ${said.at(-1)}` : ''} …\n`
}

function startedLine(pid: number): string {
  return asTyped(
    `Started the Drawbridge service in the background (pid ${pid}). Stop it with: drawbridge stop\n`,
  )
}

function spawnService(dataDir: string, { self, env }: Surroundings) {
  const log = openLog(dataDir)
  try {
    const [program, ...args] = self
    const serve = ['serve', '--data-dir', dataDir, '--log-file', logFile(dataDir)]
    const child = spawn(program, [...SERVICE_NODE_FLAGS, ...args, ...serve], {
      cwd: dataDir,
      env,
      detached: true,
      stdio: ['ignore', log, log],
    })
    child.unref()
    return child
  } finally {
    closeSync(log)
  }
}
