// Another client of the app-server that runs a task, as codex's own terminal is one: it resumes the thread on the same socket.
import { onTestFinished } from 'vitest'
import { type CodexOptions, openCodex, type Thread } from '../../src/codex/index.ts'
import type { AppServers } from '../../src/tasks/index.ts'

interface Stage {
  readonly pool: Pick<AppServers, 'get'>
  readonly home: { readonly path: string }
  /** Of the task, in exec mode. */
  readonly execHost?: string | null
}

/** A second connection to the app-server of this home. By default it leaves questions to others. */
export async function otherClient(
  { pool, home, execHost = null }: Stage,
  options: Partial<CodexOptions> = {},
) {
  const appServer = await pool.get({ codexPath: null, codexHome: home.path, execHost }, {})
  const codex = await openCodex(appServer.host, {
    experimental: true,
    onApproval: () => new Promise<never>(() => {}),
    ...options,
  })
  onTestFinished(() => codex.close())
  return {
    codex,
    /** The thread of a task, as whoever resumes it has it: without a word about its rights. */
    resume: (threadId: string | null): Promise<Thread> => codex.resumeThread(threadId!),
    /** Begins a turn in plain codex words, with whatever rights it names. */
    begin: async (
      threadId: string | null,
      text: string,
      more: Record<string, unknown> = {},
    ): Promise<string> => {
      const params = { threadId: threadId!, input: [{ type: 'text', text, text_elements: [] }], ...more }
      return (await codex.request('turn/start', params as never)).turn.id
    },
  }
}
