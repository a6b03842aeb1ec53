import { describe, expect, it, vi } from 'vitest'
import { type Codex, openCodex } from './client.ts'
import type { Decision } from './requests/index.ts'
import type { RealPath } from './rules/index.ts'
import type { Channel, ChannelReader } from './wire/index.ts'

/** A codex that repeats an open question in one breath with its reply to `thread/resume`. */
function resumedCodex(
  decisions: Decision[],
  { realPath = async (place) => place, asked = [] }: { realPath?: RealPath; asked?: string[] } = {},
): Promise<Codex> {
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
  const host = { name: 'memory', open: async () => appServer, realPath }
  return openCodex(host, {
    onApproval: (question) => {
      asked.push(question.title)
      return 'deny'
    },
    onDecision: (decision) => void decisions.push(decision),
  })
}

const touchRule = { id: 'touch', answer: 'allow', kind: 'command', match: { argvPrefix: ['touch'] } } as const

it('judges a question by the rules its thread is being resumed with', async () => {
  const decisions: Decision[] = []
  const codex = await resumedCodex(decisions)
  await codex.resumeThread('thread', { approvals: { rules: [touchRule] } })
  await vi.waitFor(() => expect(decisions).toHaveLength(1))
  await codex.close()
  expect(decisions).toMatchObject([{ answer: 'once', by: 'rule', rule: 'touch', question: { cwd: '/repo' } }])
})

describe('while the paths of a question are looked up', () => {
  it('no rule allows it when the machine that has them cannot be asked: a person is', async () => {
    const decisions: Decision[] = []
    const cutOff = (place: string) =>
      place === '~' ? Promise.reject(new Error('cut off')) : Promise.resolve(place)
    const codex = await resumedCodex(decisions, { realPath: cutOff })
    await codex.resumeThread('thread', { approvals: { rules: [touchRule] } })
    await vi.waitFor(() => expect(decisions).toHaveLength(1))
    await codex.close()
    expect(decisions).toMatchObject([{ answer: 'deny', by: 'person' }])
  })

  it('it is withdrawn with the connection, answered by nobody, and told of once', async () => {
    const decisions: Decision[] = []
    const asked = Promise.withResolvers<void>()
    const looked = Promise.withResolvers<void>()
    const realPath = async (place: string) => {
      if (place === '~') asked.resolve()
      if (place === '~') await looked.promise
      return place
    }
    const people: string[] = []
    const codex = await resumedCodex(decisions, { realPath, asked: people })
    await codex.resumeThread('thread', { approvals: { rules: [touchRule] } })
    await asked.promise
    await codex.close()
    looked.resolve()
    await looked.promise
    await new Promise((resolve) => setImmediate(resolve))
    expect(decisions).toMatchObject([{ answer: 'deny', by: 'default', cause: 'withdrawn' }])
    expect(people).toEqual([])
  })

  it('a rule that is taken back meanwhile counts no more', async () => {
    const decisions: Decision[] = []
    const asked = Promise.withResolvers<void>()
    const looked = Promise.withResolvers<void>()
    const realPath = async (place: string) => {
      if (place === '~') asked.resolve()
      if (place === '~') await looked.promise
      return place
    }
    const codex = await resumedCodex(decisions, { realPath })
    const thread = await codex.resumeThread('thread', { approvals: { rules: [touchRule] } })
    await asked.promise
    thread.setApprovals(null)
    looked.resolve()
    await vi.waitFor(() => expect(decisions).toHaveLength(1))
    await codex.close()
    expect(decisions).toMatchObject([{ answer: 'deny', by: 'person' }])
  })
})
