import { setTimeout as delay } from 'node:timers/promises'
import { TransportClosedError } from '../../codex/index.ts'
import { AppServerUnreachableError } from '../app-server-unreachable-error.ts'
import type { DetachedAppServer } from './detached-app-server.ts'
import { type DetachedStart, spawnDetached } from './spawn-detached.ts'

const TRY_EVERY_MS = 20

/** Starts codex so that it outlives us; resolves when it takes connections. Nothing is left when this rejects. */
export async function startDetached(
  start: DetachedStart,
  limits: { timeoutMs: number; signal?: AbortSignal },
): Promise<DetachedAppServer> {
  const appServer = await spawnDetached(start)
  try {
    await takesConnections(appServer, limits)
    return appServer
  } catch (error) {
    await appServer.end('it did not start')
    throw error
  }
}

async function takesConnections(
  appServer: DetachedAppServer,
  { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal },
): Promise<void> {
  const deadline = AbortSignal.timeout(timeoutMs)
  const either = signal ? AbortSignal.any([deadline, signal]) : deadline
  for (;;) {
    try {
      const connected = await appServer.host.open({ signal: either })
      return await connected.close()
    } catch (error) {
      signal?.throwIfAborted()
      if (!appServer.isAlive()) throw await exitBeforeStart(appServer)
      if (deadline.aborted) throw notListening(appServer, { timeoutMs, cause: error })
      await delay(TRY_EVERY_MS)
    }
  }
}

async function exitBeforeStart(appServer: DetachedAppServer): Promise<TransportClosedError> {
  const { reason, stderrTail } = await appServer.ended
  return new TransportClosedError(`codex did not start: ${reason}`, { stderrTail, hasCodexEnded: true })
}

function notListening(
  appServer: DetachedAppServer,
  { timeoutMs, cause }: { timeoutMs: number; cause: unknown },
): AppServerUnreachableError {
  const said = appServer.stderrTail(1)[0] ?? 'nothing'
  return new AppServerUnreachableError(
    `codex took no connection at ${appServer.host.name} within ${timeoutMs} ms; it last said: ${said}`,
    {
      code: 'app-server-connect-timed-out',
      hint: 'look whether the machine is overloaded; run `drawbridge doctor`',
      retryable: true,
      cause,
    },
  )
}
