import { describe, expect, it } from 'vitest'
import { BadInputError, type Codex, type Thread, type Turn } from '../../src/codex/index.ts'
import { hang, lastUserText, message, shell } from '../../src/testing/index.ts'
import { openClient } from '../support/open-client.ts'

async function until(turn: Turn, method: string): Promise<void> {
  for await (const notification of turn) if (notification.method === method) return
  throw new Error(`the turn ended without ${method}`)
}

/** Resolves with the first notification that fits, wherever it belongs. */
function heard(codex: Codex, fits: (raw: string) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const stop = codex.subscribe(({ raw }) => {
      if (!fits(raw)) return
      stop()
      resolve()
    })
  })
}

async function busy(thread: Thread): Promise<Turn> {
  const turn = await thread.startTurn('never ends')
  await until(turn, 'item/agentMessage/delta')
  return turn
}

describe('the queue of a thread', () => {
  it('runs what was queued one after the other, in order, and can be looked into and cancelled', async () => {
    const { codex, cwd, model } = await openClient((request) =>
      lastUserText(request) === 'never ends' ? [message('half'), hang()] : [message('ok')],
    )
    const thread = await codex.startThread({ cwd })
    const running = await busy(thread)
    const [a, b, c] = ['a', 'b', 'c'].map((text) => thread.queue.add(text))
    expect(thread.queue.waiting.map(({ input }) => input)).toEqual(['a', 'b', 'c'])
    expect(b!.cancel()).toBe(true)
    await expect(b!.turn).rejects.toThrow('cancelled')
    await running.interrupt()
    expect(await (await c!.turn).outcome).toMatchObject({ status: 'completed', text: 'ok' })
    expect(a!.cancel()).toBe(false)
    expect(model.requests.map((request) => lastUserText(request))).toEqual(['never ends', 'a', 'c'])
    expect(thread.queue.waiting).toEqual([])
  })

  it('goes on after a turn that could not start', async () => {
    const { codex, cwd } = await openClient([[message('ok')]])
    const thread = await codex.startThread({ cwd })
    const bad = thread.queue.add([{ type: 'image', url: 'https://example.com/a.png' }])
    const good = thread.queue.add('fine')
    await expect(bad.turn).rejects.toBeInstanceOf(BadInputError)
    expect(await (await good.turn).outcome).toMatchObject({ status: 'completed' })
  })

  it('is rejected when codex goes away', async () => {
    const { codex, cwd } = await openClient([[message('half'), hang()]])
    const thread = await codex.startThread({ cwd })
    await busy(thread)
    const queued = thread.queue.add('later')
    await codex.close()
    await expect(queued.turn).rejects.toBe(await codex.closed)
  })
})

describe('steering a thread', () => {
  it('reaches the running turn once per client message id', async () => {
    const { codex, cwd, model } = await openClient([[message('half'), hang()], [message('steered')]])
    const thread = await codex.startThread({ cwd })
    const turn = await busy(thread)
    const options = { whenStale: 'error', clientMessageId: 'm-1' } as const
    const [first, second] = await Promise.all([
      thread.steer('go left', options),
      thread.steer('go left', options),
    ])
    expect(first).toBe(second)
    expect(first).toEqual({ turn })
    expect(await turn.outcome).toMatchObject({ status: 'completed', text: 'steered' })
    expect(await thread.steer('go left', options)).toBe(first)
    const sent = model.requests[1]!.body.input.filter((item) => JSON.stringify(item).includes('go left'))
    expect(sent).toHaveLength(1)
  })

  it('when the turn has ended: an error, or the next turn, as the caller chose', async () => {
    const { codex, cwd } = await openClient([[message('one')], [message('two')]])
    const thread = await codex.startThread({ cwd })
    await (await thread.startTurn('hi')).outcome
    await expect(thread.steer('late', { whenStale: 'error' })).rejects.toMatchObject({ code: 'stale-turn' })
    const steered = await thread.steer('late', { whenStale: 'queue' })
    const queued = 'queued' in steered ? steered.queued : null
    expect(await (await queued!.turn).outcome).toMatchObject({ status: 'completed', text: 'two' })
  })
})

describe('interrupting', () => {
  it('ends the running command, closes its item as abandoned, and takes its late completion', async () => {
    const { codex, cwd } = await openClient([[shell('echo begun; sleep 300')]], {
      client: { experimental: true },
    })
    const thread = await codex.startThread({ cwd })
    const begun = heard(codex, (raw) => raw.includes('item/started') && raw.includes('commandExecution'))
    const turn = await thread.startTurn('run')
    await begun
    const [[itemId]] = [...turn.items].filter(([, { type }]) => type === 'commandExecution') as [
      [string, unknown],
    ]
    const late = heard(codex, (raw) => raw.includes('item/completed') && raw.includes(itemId))
    await turn.interrupt()
    const outcome = await turn.outcome
    expect(outcome).toMatchObject({ status: 'interrupted', by: 'user' })
    await late
    expect(turn.items.get(itemId)).toEqual({ type: 'commandExecution', status: 'completed' })
    const { data } = await codex.request('thread/backgroundTerminals/list', { threadId: thread.id })
    expect(data).toEqual([])
  })

  it('keeps the text that was streamed so far, as partial, and leaves the item abandoned', async () => {
    const { codex, cwd } = await openClient([[message('half an answer', { chunkSize: 11, delayMs: 500 })]])
    const thread = await codex.startThread({ cwd })
    const turn = await busy(thread)
    await turn.interrupt()
    const { agentMessages, text } = await turn.outcome
    expect({ agentMessages, text }).toMatchObject({
      text: null,
      agentMessages: [{ text: 'half an ans', isPartial: true }],
    })
    expect([...turn.items.values()]).toContainEqual({ type: 'agentMessage', status: 'abandoned' })
  })

  it('is honoured when it is asked for while the turn is being started', async () => {
    const { codex, cwd } = await openClient([[message('half'), hang()]])
    const thread = await codex.startThread({ cwd })
    const controller = new AbortController()
    const starting = thread.startTurn('go', { signal: controller.signal })
    controller.abort()
    expect(await (await starting).outcome).toMatchObject({ status: 'interrupted', by: 'user' })
  })
})

describe('input', () => {
  it('is checked before it is sent', async () => {
    const { codex, cwd, model } = await openClient([[message('fine')]])
    const thread = await codex.startThread({ cwd })
    await expect(thread.startTurn('x'.repeat(1_048_577))).rejects.toThrow('codex takes 1048576')
    await expect(thread.startTurn([])).rejects.toThrow('empty')
    const web = [{ type: 'image', url: 'HTTPS://example.com/a.png' }] as const
    await expect(thread.startTurn(web)).rejects.toThrow('data: URL')
    expect(thread.isBusy).toBe(false)
    // As many characters as codex takes, in more UTF-16 units than that.
    expect(await (await thread.startTurn('😀'.repeat(1_048_576))).outcome).toMatchObject({
      status: 'completed',
    })
    expect(model.requests).toHaveLength(1)
  })
})

describe('secrets', () => {
  it('do not leave a client that redacts, in text, params or raw', async () => {
    const secret = 'sk-proj-Zx81kQ0vN5tYpLw3mB7rDfGhJ2cVbXs94TuEaRiO'
    const { codex, cwd } = await openClient([[message(`the key is ${secret}.`, { chunkSize: 3 })]], {
      client: { redact: true },
    })
    const seen: string[] = []
    codex.subscribe(({ raw, params }) => void seen.push(raw, JSON.stringify(params)))
    const turn = await (await codex.startThread({ cwd })).startTurn(`use ${secret}`)
    expect((await turn.outcome).text).toMatch(/^the key is sk-.*\.$/)
    expect(seen.some((text) => text.includes(secret))).toBe(false)
  })
})
