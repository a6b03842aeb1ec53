import { setTimeout as delay } from 'node:timers/promises'
import { openCodex } from '../../codex/index.ts'
import { appServerOf, type DetachedRecord } from '../app-server-record.ts'
import { isAlive } from '../processes.ts'
import { reapRecord } from '../reap-orphans.ts'
import { removeFiles } from '../remove-files.ts'
import { DetachedAppServer, type DetachedOptions } from './detached-app-server.ts'

const TRY_EVERY_MS = 50

/** Takes over the app-server of this record when it lives and answers; otherwise ends what is left of it, and gives null. */
export async function adopt(
  record: DetachedRecord,
  options: DetachedOptions & { readonly timeoutMs: number; readonly signal?: AbortSignal },
): Promise<DetachedAppServer | null> {
  const identity = appServerOf(record)
  if (identity && isAlive(identity)) {
    const appServer = new DetachedAppServer(record, null, options)
    if (await answers(appServer, options)) return appServer
    await appServer.letGo()
    options.signal?.throwIfAborted()
  }
  const { survivors } = await reapRecord(options.registryDir, record)
  if (survivors.length === 0) {
    removeFiles(record.detached.socketPath, record.detached.stderrPath)
  }
  return null
}

/** Whether it shakes hands in time, as the codex it was recorded as. It may have been started just before we were. */
async function answers(
  appServer: DetachedAppServer,
  { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal },
): Promise<boolean> {
  const deadline = AbortSignal.timeout(timeoutMs)
  const either = signal ? AbortSignal.any([deadline, signal]) : deadline
  while (!either.aborted && appServer.isAlive()) {
    try {
      const codex = await openCodex(appServer.host, { signal: either })
      await codex.close()
      return codex.userAgent.includes(`/${appServer.record.codexVersion}`)
    } catch {
      await delay(TRY_EVERY_MS)
    }
  }
  return false
}
