import { applyPatch, message, reasoning, shell, usage } from '../../src/testing/index.ts'
import type { Subject } from './conformance.ts'
import type { Version } from './expectations.ts'
import { runTurn } from './run-turn.ts'

/** What a real codex said during one eventful turn. */
export interface Recording {
  readonly version: Version
  readonly threadId: string
  readonly turnId: string
  /** The notifications' lines, up to the one that ended the turn. */
  readonly lines: readonly string[]
  readonly requests: readonly { readonly method: string; readonly params: unknown }[]
}

const patch = '*** Begin Patch\n*** Add File: made.txt\n+one\n*** End Patch\n'

/** Runs reasoning, two commands, one of them approved, an approved file change and a message on the real codex. */
export async function recordTurn({ version, open }: Subject): Promise<Recording> {
  const requests: { method: string; params: unknown }[] = []
  const accept = (method: string) => (params: unknown) => {
    requests.push({ method, params })
    return { decision: 'accept' as const }
  }
  const { codex, cwd } = await open(
    [
      [reasoning('I shall look.'), shell('echo out; sleep 0.3; echo more; exit 3')],
      [shell('echo escalated', { escalate: 'to show' })],
      [applyPatch(patch)],
      [message('all done', { chunkSize: 2 }), usage({ input: 50, cached: 10, output: 7, reasoning: 2 })],
    ],
    {
      client: {
        handlers: {
          'item/commandExecution/requestApproval': accept('item/commandExecution/requestApproval'),
          'item/fileChange/requestApproval': accept('item/fileChange/requestApproval'),
        },
      },
    },
  )
  const lines: string[] = []
  codex.subscribe(({ raw }) => lines.push(raw))
  const thread = await codex.startThread({ cwd })
  const { turn } = await runTurn(thread, 'go')
  const last = lines.findIndex((line) => JSON.parse(line).method === 'turn/completed')
  return { version, threadId: thread.id, turnId: turn.id, lines: lines.slice(0, last + 1), requests }
}
