import { randomBytes } from 'node:crypto'
import { DrawbridgeError, type Host, type Protection } from '../../codex/index.ts'
import type { DetachedAppServer } from '../detached/detached-app-server.ts'
import { localPaths } from '../local/path-facts.ts'
import type { AppServerEnd, OwnedAppServer } from '../owned-app-server.ts'
import { identify, isAlive } from '../processes.ts'

/** A codex process as the pool needs it, whatever way leads to it. */
export interface AppServerProcess {
  /** The same after a restart. */
  readonly id: string
  readonly pid: number
  readonly codexPath: string
  readonly codexVersion: string
  readonly protection: Protection | null
  readonly startedAt: number
  readonly host: Host
  /** Where other clients reach it; null where only who started it does. */
  readonly socketPath: string | null
  readonly outlivesUs: boolean
  /** Whether it ends, or has ended, because somebody here wanted it to. */
  isEndWanted(): boolean
  isAlive(): boolean
  readonly ended: Promise<AppServerEnd>
  end(why: string): Promise<void>
  /** Leaves it alone where it can outlive us, else ends it. */
  letGo(): Promise<void>
  takesConnections(timeoutMs: number): Promise<boolean>
  trimLog(): void
}

export function overSocket(appServer: DetachedAppServer): AppServerProcess {
  const { record, host, outlivesUs, ended } = appServer
  let isWanted = false
  return {
    ...{ id: record.id, pid: record.pid, codexPath: record.codexPath, codexVersion: record.codexVersion },
    startedAt: Date.parse(record.startedAt),
    protection: record.detached.protection ?? null,
    socketPath: record.detached.socketPath,
    ...{ host, outlivesUs, ended },
    isEndWanted: () => isWanted,
    isAlive: () => appServer.isAlive(),
    end: (why) => {
      isWanted = true
      return appServer.end(why)
    },
    letGo: () => appServer.letGo(),
    takesConnections: (timeoutMs) => appServer.takesConnections(timeoutMs),
    trimLog: () => appServer.trimLog(),
  }
}

/** Its pipes lead to whoever opens it first; closing that connection ends it. */
export function overPipes(
  appServer: OwnedAppServer,
  facts: { readonly codexPath: string; readonly startedAt: number },
): AppServerProcess {
  let isTaken = false
  let isWanted = false
  let isGone = false
  void appServer.ended.then(() => {
    isGone = true
  })
  async function close(): Promise<void> {
    isWanted = true
    await appServer.close()
  }
  const identity = identify(appServer.pid)
  async function open() {
    if (isTaken) throw taken(appServer.pid)
    isTaken = true
    const { channel, codexVersion, pid, protection } = appServer
    return {
      channel,
      codexVersion,
      pid,
      protection,
      stderrTail: (lines?: number) => appServer.stderrTail(lines),
      close,
    }
  }
  return {
    id: randomBytes(16).toString('hex'),
    pid: appServer.pid,
    ...facts,
    codexVersion: appServer.codexVersion,
    protection: appServer.protection ?? null,
    host: { name: 'local', ...localPaths, open },
    socketPath: null,
    outlivesUs: false,
    isEndWanted: () => isWanted,
    // Its end is only told when all it had started is gone too.
    isAlive: () => !isGone && !isWanted && (identity === null || isAlive(identity)),
    ended: appServer.ended,
    end: close,
    letGo: close,
    takesConnections: async () => true,
    trimLog: () => {},
  }
}

function taken(pid: number): DrawbridgeError {
  const message = `the app-server with pid ${pid} is reached over its pipes, and those are taken: use the connection that is open`
  return new DrawbridgeError(message, { code: 'app-server-taken' })
}
