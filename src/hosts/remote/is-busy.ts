import { type Host, openCodex } from '../../codex/index.ts'

const ASK_MS = 20_000

/** Whether a turn runs in it, whoever began it. Rejects when that cannot be told. */
export async function isBusy(host: Host): Promise<boolean> {
  const signal = AbortSignal.timeout(ASK_MS)
  const codex = await openCodex(host, { signal, onApproval: () => new Promise(() => {}) })
  try {
    const { data } = await codex.request('thread/loaded/list', {}, { signal })
    for (const threadId of data) {
      const { thread } = await codex.request('thread/read', { threadId, includeTurns: false }, { signal })
      if (thread.status.type === 'active') return true
    }
    return false
  } finally {
    await codex.close()
  }
}
