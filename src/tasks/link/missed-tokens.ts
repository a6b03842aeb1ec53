import { setTimeout as delay } from 'node:timers/promises'
import { type Host, openCodex } from '../../codex/index.ts'
import type { ThreadTokens } from './token-meter.ts'

/** What is not known by then is counted with the next turn. */
const PATIENCE_MS = 5_000
/** codex tells right after its reply, or, as versions up to 0.150, not at all. */
const SOON_MS = 1_000

/**
 * What a thread has used, for a turn that ended while nobody listened; null when codex does not say. It tells only who
 * asks for all of the thread's history (0.166), which may be too much for a connection that others need: so on its own.
 */
export async function missedTokens(host: Host, threadId: string): Promise<ThreadTokens | null> {
  const told = Promise.withResolvers<ThreadTokens>()
  const signal = AbortSignal.timeout(PATIENCE_MS)
  const opening = openCodex(host, {
    experimental: true,
    signal,
    onNotification: ({ method, params }) => {
      if (method === 'thread/tokenUsage/updated' && params.threadId === threadId)
        told.resolve(params.tokenUsage)
    },
    onApproval: () => new Promise(() => {}), // not ours to answer
  })
  try {
    await (await opening).request('thread/resume', { threadId }, { signal })
    return await Promise.race([told.promise, delay(SOON_MS, null, { ref: false })])
  } catch {
    return null
  } finally {
    await opening.then((codex) => codex.close()).catch(() => {})
  }
}
