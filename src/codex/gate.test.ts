import { expect, it } from 'vitest'
import { type Codex, openCodex } from './client.ts'
import type { Decision } from './requests/index.ts'
import type { Channel, ChannelReader } from './wire/index.ts'

/** A codex that repeats an open question in one breath with its reply to `thread/resume`. */
function resumedCodex(decisions: Decision[]): Promise<Codex> {
  let reader: ChannelReader | null = null
  const say = (message: object) => reader?.line(JSON.stringify(message))
  const resumed = (id: number) => {
    say({ id, result: { thread: { id: 'thread' }, cwd: '/repo' } })
    const asked = { threadId: 'thread', turnId: 'turn', itemId: 'item', command: 'touch made' }
    say({ id: 'ask', method: 'item/commandExecution/requestApproval', params: asked })
  }
  const channel: Channel = {
    read: (given) => {
      reader = given
    },
    close: (reason) => reader?.closed(reason),
    send(line) {
      const { id, method } = JSON.parse(line)
      if (method === 'initialize') say({ id, result: { userAgent: 'codex/0.166.0', codexHome: '/' } })
      if (method === 'thread/resume') setImmediate(() => resumed(id))
    },
  }
  const appServer = {
    channel,
    codexVersion: '0.166.0',
    pid: null,
    stderrTail: () => [],
    close: async () => {},
  }
  const host = { name: 'memory', open: async () => appServer, realPath: (place: string) => place }
  return openCodex(host, {
    onApproval: () => 'deny',
    onDecision: (decision) => void decisions.push(decision),
  })
}

it('judges a question by the rules its thread is being resumed with', async () => {
  const decisions: Decision[] = []
  const codex = await resumedCodex(decisions)
  const match = { argvPrefix: ['touch'] }
  const rule = { id: 'touch', answer: 'allow', kind: 'command', match } as const
  await codex.resumeThread('thread', { approvals: { rules: [rule] } })
  await codex.close()
  expect(decisions).toMatchObject([{ answer: 'once', by: 'rule', rule: 'touch', question: { cwd: '/repo' } }])
})
