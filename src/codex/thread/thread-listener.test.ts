import { expect, it } from 'vitest'
import { openCodex } from '../client.ts'
import type { Approver } from '../requests/index.ts'
import type { Channel, ChannelReader } from '../wire/index.ts'
import type { Incident } from './incident.ts'
import type { ThreadListener } from './thread-listener.ts'

/** A connection whose other end says what the test tells it to. */
async function scripted(onResume: (say: Say, id: number) => void, onApproval: Approver = () => 'once') {
  let reader: ChannelReader | null = null
  const answers: { id: unknown; result: unknown }[] = []
  const incidents: Incident[] = []
  const say: Say = (message) => reader?.line(JSON.stringify(message))
  const channel: Channel = {
    read: (given) => {
      reader = given
    },
    close: (reason) => reader?.closed(reason),
    send(line) {
      const message = JSON.parse(line)
      if (message.method === 'initialize')
        say({ id: message.id, result: { userAgent: 'codex/0.166.0', codexHome: '/' } })
      if (message.method === 'thread/resume') setImmediate(() => onResume(say, message.id))
      if ('result' in message) answers.push(message)
    },
  }
  const appServer = {
    channel,
    codexVersion: '0.166.0',
    pid: null,
    stderrTail: () => [],
    close: async () => {},
  }
  const codex = await openCodex(
    { name: 'memory', open: async () => appServer, realPath: async (place) => place },
    { onApproval, onIncident: (incident) => void incidents.push(incident) },
  )
  return { codex, say, answers, incidents }
}

type Say = (message: object) => void

const resumed = (id: number) => ({ id, result: { thread: { id: 'mine' }, cwd: '/repo' } })
const delta = (threadId: string, text: string) => ({
  method: 'item/agentMessage/delta',
  params: { threadId, turnId: 'turn', itemId: 'item', delta: text },
})
const worker = {
  method: 'item/completed',
  params: {
    threadId: 'mine',
    turnId: 'turn',
    item: { type: 'collabAgentToolCall', id: 'call', receiverThreadIds: ['worker'] },
  },
}

function heard() {
  const texts: string[] = []
  const listener: ThreadListener = {
    notification: ({ method, params }) => {
      texts.push((params as { delta?: string }).delta ?? method)
    },
  }
  return { texts, listener }
}

it('hears everything in order, also what came before the reply that opened the thread', async () => {
  const before = Array.from({ length: 1_000 }, (_, index) => `b${index}`)
  const { codex, say } = await scripted((tell, id) => {
    for (const text of before) tell(delta('mine', text))
    tell(resumed(id))
  })
  const { texts, listener } = heard()
  await codex.resumeThread('mine', { listener })
  say(delta('mine', 'after'))
  say(delta('other', 'not mine'))
  expect(texts).toEqual([...before, 'after'])
  await codex.close()
})

it('is not kept waiting for a thread that cannot be opened', async () => {
  let tries = 0
  const { codex, say } = await scripted((tell, id) => {
    tell(delta('mine', `before ${++tries}`))
    tell(
      tries === 1
        ? { id, error: { code: -32600, message: 'no rollout found for thread id mine' } }
        : resumed(id),
    )
  })
  const { texts, listener } = heard()
  await expect(codex.resumeThread('mine', { listener })).rejects.toMatchObject({ code: 'nothing-to-resume' })
  await codex.resumeThread('mine', { listener })
  say(delta('mine', 'after'))
  expect(texts).toEqual(['before 2', 'after'])
  await codex.close()
})

it('hears sub-agents, also what they said before it was known whose they are', async () => {
  const { codex, say } = await scripted((tell, id) => tell(resumed(id)))
  const { texts, listener } = heard()
  await codex.resumeThread('mine', { listener })
  say(delta('worker', 'early'))
  say(worker)
  say(delta('worker', 'late'))
  expect(texts).toEqual(['item/completed', 'early', 'late'])
  await codex.close()
})

it('hears and answers a sub-agent that begins while its parent is being resumed', async () => {
  const { codex, answers } = await scripted(
    (tell, id) => {
      tell(worker)
      tell(delta('worker', 'early'))
      tell({
        id: 'q',
        method: 'item/commandExecution/requestApproval',
        params: { threadId: 'worker', turnId: 'wt', itemId: 'item', command: 'touch made', cwd: '/repo' },
      })
      setImmediate(() => tell(resumed(id)))
    },
    () => 'deny',
  )
  const { texts, listener } = heard()
  await codex.resumeThread('mine', { listener: { ...listener, question: () => 'once' } })
  await expect.poll(() => answers, { timeout: 20_000 }).toEqual([{ id: 'q', result: { decision: 'accept' } }])
  expect(texts).toEqual(['item/completed', 'early'])
  await codex.close()
})

it('answers alone: neither the rules of the thread nor the client are asked', async () => {
  const asked: string[] = []
  const { codex, say, answers } = await scripted(
    (tell, id) => tell(resumed(id)),
    () => {
      asked.push('client')
      return 'once'
    },
  )
  const match = { argvPrefix: ['touch'] }
  await codex.resumeThread('mine', {
    approvals: { rules: [{ id: 'touch', answer: 'allow', kind: 'command', match }] },
    listener: {
      question: ({ threadId }) => {
        asked.push(`listener of ${threadId}`)
        return 'deny'
      },
    },
  })
  say(worker)
  for (const [id, threadId] of [
    ['a', 'mine'],
    ['b', 'worker'],
    ['c', 'unknown'],
  ])
    say({
      id,
      method: 'item/commandExecution/requestApproval',
      params: { threadId, turnId: 'turn', itemId: 'item', command: 'touch made', cwd: '/repo' },
    })
  await expect.poll(() => answers.length, { timeout: 20_000 }).toBe(3)
  expect(answers).toEqual(
    expect.arrayContaining([
      { id: 'a', result: { decision: 'decline' } },
      { id: 'b', result: { decision: 'decline' } },
      { id: 'c', result: { decision: 'accept' } },
    ]),
  )
  expect(asked.sort()).toEqual(['client', 'listener of mine', 'listener of worker'])
  await codex.close()
})

it('hears incidents of its thread, and one that throws keeps nothing from the others', async () => {
  const own: Incident[] = []
  const { codex, say, incidents } = await scripted((tell, id) => tell(resumed(id)))
  const all: string[] = []
  codex.subscribe(({ method }) => void all.push(method))
  await codex.resumeThread('mine', {
    listener: {
      notification: () => {
        throw new Error('not today')
      },
      incident: (incident) => void own.push(incident),
    },
  })
  say(delta('mine', 'text'))
  for (const threadId of ['mine', 'other'])
    say({ id: threadId, method: 'item/unheardOf/ask', params: { threadId } })
  await expect.poll(() => incidents.length, { timeout: 20_000 }).toBe(3)
  expect(incidents.map(({ type }) => type)).toEqual(['handler-failed', 'request-refused', 'request-refused'])
  expect(own).toMatchObject([{ type: 'request-refused', params: { threadId: 'mine' } }])
  expect(all).toEqual(['item/agentMessage/delta'])
  await codex.close()
})
