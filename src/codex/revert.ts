import type { Codex } from './client.ts'
import { DrawbridgeError } from './errors/index.ts'
import { supportOf } from './protocol/index.ts'

/** `thread/revert` where this client may use it; else `thread/rollback`, which counts turns from the end. */
export async function revertThread(
  codex: Codex,
  ids: { threadId: string; beforeTurnId: string },
): Promise<void> {
  const hasRollback = supportOf('thread/rollback', codex.codexVersion) === 'stable'
  const revert = supportOf('thread/revert', codex.codexVersion)
  if (!hasRollback || revert === 'stable' || (revert === 'experimental' && codex.isExperimental)) {
    await codex.request('thread/revert', ids)
    return
  }
  const { thread } = await codex.request('thread/read', { threadId: ids.threadId, includeTurns: true })
  const index = thread.turns.findIndex(({ id }) => id === ids.beforeTurnId)
  if (index === -1)
    throw new DrawbridgeError(`thread ${ids.threadId} has no turn ${ids.beforeTurnId}`, {
      code: 'unknown-turn',
    })
  const params = { threadId: ids.threadId, numTurns: thread.turns.length - index }
  // Not among the pinned version's methods, so it has no type here.
  await codex.request('thread/rollback' as 'thread/revert', params as unknown as typeof ids)
}
