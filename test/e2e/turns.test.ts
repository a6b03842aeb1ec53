import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CodexNotification, NotificationMethod, Thread, Turn } from '../../src/codex/index.ts'
import {
  applyPatch,
  hang,
  httpError,
  lastUserText,
  message,
  reasoning,
  shell,
  usage,
} from '../../src/testing/index.ts'
import { openClient } from '../support/open-client.ts'

type Of<M extends NotificationMethod> = Extract<CodexNotification, { method: M }>

async function collect(turn: Turn): Promise<CodexNotification[]> {
  const all: CodexNotification[] = []
  for await (const notification of turn) all.push(notification)
  return all
}

function only<M extends NotificationMethod>(all: readonly CodexNotification[], method: M): Of<M>[] {
  return all.filter((notification): notification is Of<M> => notification.method === method)
}

/** The first notification of a method, read from the turn itself. Leaves the turn running. */
async function until(turn: Turn, method: NotificationMethod): Promise<void> {
  for await (const notification of turn) if (notification.method === method) return
  throw new Error(`the turn ended without ${method}`)
}

describe('a turn', () => {
  it('streams its text and completes with it, its ids and what it used', async () => {
    const text = 'The bridge is down — “ça va” 😀. '.repeat(20)
    const { codex, cwd } = await openClient([
      [message(text, { chunkSize: 7 }), usage({ input: 100, cached: 40, output: 20, reasoning: 5 })],
    ])
    const thread = await codex.startThread({ cwd })
    const turn = await thread.startTurn('hello')
    const all = await collect(turn)
    const deltas = only(all, 'item/agentMessage/delta')
    expect(deltas.length).toBeGreaterThan(20)
    expect(deltas.map(({ params }) => params.delta).join('')).toBe(text)
    expect(all.at(-1)?.method).toBe('turn/completed')
    expect(
      all.every(({ raw, method, params }) => {
        const sent = JSON.parse(raw)
        return sent.method === method && JSON.stringify(sent.params) === JSON.stringify(params)
      }),
    ).toBe(true)
    expect(await turn.outcome).toEqual({
      status: 'completed',
      text,
      threadId: thread.id,
      turnId: turn.id,
      agentMessages: [{ itemId: expect.any(String), text, phase: null, isPartial: false }],
      output: null,
      hasUnansweredInput: false,
      usage: expect.objectContaining({
        inputTokens: 100,
        cachedInputTokens: 40,
        outputTokens: 20,
        totalTokens: 120,
      }),
    })
  })

  it('counts only its own tokens, over all its model calls', async () => {
    const { codex, cwd } = await openClient([
      [message('one'), usage({ input: 1_000, output: 100 })],
      [shell('true'), usage({ input: 10, output: 1 })],
      [message('two'), usage({ input: 20, output: 2 })],
    ])
    const thread = await codex.startThread({ cwd })
    expect((await (await thread.startTurn('first')).outcome).usage).toMatchObject({ inputTokens: 1_000 })
    expect((await (await thread.startTurn('second')).outcome).usage).toMatchObject({
      inputTokens: 30,
      outputTokens: 3,
    })
  })

  it('shows reasoning, commands with their output and exit code, and file changes', async () => {
    const patch = '*** Begin Patch\n*** Add File: made.txt\n+one\n*** End Patch\n'
    const { codex, cwd } = await openClient([
      [reasoning('I shall look.'), shell('echo out; exit 3')],
      [applyPatch(patch)],
      [message('done')],
    ])
    const thread = await codex.startThread({ cwd, sandbox: 'workspace-write' })
    const turn = await thread.startTurn('go')
    const items = only(await collect(turn), 'item/completed').map(({ params }) => params.item)
    expect(items.map((item) => item.type)).toEqual([
      'userMessage',
      'reasoning',
      'commandExecution',
      'fileChange',
      'agentMessage',
    ])
    expect(items[2]).toMatchObject({ exitCode: 3, aggregatedOutput: 'out\n' })
    expect(items[3]).toMatchObject({ status: 'completed', changes: [{ kind: { type: 'add' } }] })
    expect(readFileSync(path.join(cwd, 'made.txt'), 'utf8')).toBe('one\n')
    expect(await turn.outcome).toMatchObject({ status: 'completed', text: 'done' })
  })

  it('carries a megabyte of command output in one item', async () => {
    const { codex, cwd } = await openClient([
      [shell('head -c 1048576 /dev/zero | tr "\\0" x')],
      [message('big')],
    ])
    const thread = await codex.startThread({ cwd })
    const turn = await thread.startTurn('go')
    const command = only(await collect(turn), 'item/completed').find(
      ({ params }) => params.item.type === 'commandExecution',
    )
    expect(command?.params.item).toMatchObject({ aggregatedOutput: 'x'.repeat(1_048_576), exitCode: 0 })
    expect(await turn.outcome).toMatchObject({ status: 'completed', text: 'big' })
  })

  it('answers in the shape of an output schema', async () => {
    const outputSchema = {
      type: 'object',
      properties: { colour: { type: 'string' } },
      required: ['colour'],
      additionalProperties: false,
    }
    const { codex, cwd, model } = await openClient([[message('{"colour":"red"}')]])
    const turn = await (await codex.startThread({ cwd })).startTurn('a colour', { outputSchema })
    expect(await turn.outcome).toMatchObject({
      status: 'completed',
      text: '{"colour":"red"}',
      output: { value: { colour: 'red' } },
    })
    expect(model.requests[0]?.body).toMatchObject({
      text: { format: { type: 'json_schema', schema: outputSchema } },
    })
  })

  it('shows a local image to the model', async () => {
    const { codex, cwd, model } = await openClient([[message('a dot')]])
    const image = path.join(cwd, 'dot.png')
    const png =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
    writeFileSync(image, Buffer.from(png, 'base64'))
    const thread = await codex.startThread({ cwd })
    const turn = await thread.startTurn([
      { type: 'text', text: 'what is this?', text_elements: [] },
      { type: 'localImage', path: image },
    ])
    expect(await turn.outcome).toMatchObject({ status: 'completed', text: 'a dot' })
    expect(JSON.stringify(model.requests[0]?.body)).toContain('data:image/png;base64,')
  })

  it('is failed, with a code, when the model refuses, and the thread goes on', async () => {
    const { codex, cwd } = await openClient([[httpError(401, 'no')], [message('back')]])
    const thread = await codex.startThread({ cwd })
    expect(await (await thread.startTurn('hi')).outcome).toMatchObject({
      status: 'failed',
      error: { code: 'auth' },
    })
    expect(await (await thread.startTurn('again')).outcome).toMatchObject({
      status: 'completed',
      text: 'back',
    })
  })
})

describe('control', () => {
  it('steers a running turn: the model sees the new input in the same turn', async () => {
    const { codex, cwd, model } = await openClient([[message('half'), hang()], [message('steered')]])
    const thread = await codex.startThread({ cwd })
    const turn = await thread.startTurn('write a book')
    await until(turn, 'item/agentMessage/delta')
    await turn.steer('a short one', { clientMessageId: 'mine-1' })
    expect(await turn.outcome).toMatchObject({ status: 'completed', text: 'steered', turnId: turn.id })
    expect(lastUserText(model.requests[1]!)).toContain('a short one')
  })

  it('interrupts a turn, and the thread takes another', async () => {
    const { codex, cwd } = await openClient([[message('half'), hang()], [message('next')]])
    const thread = await codex.startThread({ cwd })
    const turn = await thread.startTurn('never ends')
    await until(turn, 'item/agentMessage/delta')
    await Promise.all([turn.interrupt(), turn.interrupt()])
    expect(await turn.outcome).toMatchObject({ status: 'interrupted', by: 'user' })
    await turn.interrupt()
    expect(await (await thread.startTurn('go on')).outcome).toMatchObject({
      status: 'completed',
      text: 'next',
    })
  })

  it('ends a turn at its deadline and keeps the text it had completed', async () => {
    const { codex, cwd } = await openClient([[message('first part'), shell('sleep 60')]])
    const thread = await codex.startThread({ cwd })
    const turn = await thread.startTurn('slow', { timeoutMs: 8_000 })
    expect(await turn.outcome).toMatchObject({ status: 'timed-out', timeoutMs: 8_000, text: 'first part' })
  })

  it('declines what nobody answers, says so, and the turn goes on', async () => {
    const refused: string[] = []
    const { codex, cwd } = await openClient(
      [[shell('touch made', { escalate: 'to show' })], [message('fine')]],
      {
        client: {
          onIncident: (incident) => incident.type === 'request-refused' && refused.push(incident.method),
        },
      },
    )
    const turn = await (await codex.startThread({ cwd })).startTurn('go')
    const declined = only(await collect(turn), 'item/completed').find(
      ({ params }) => params.item.type === 'commandExecution',
    )
    expect(declined?.params.item).toMatchObject({ status: 'declined' })
    expect(await turn.outcome).toMatchObject({ status: 'completed', text: 'fine' })
    expect(refused).toEqual(['item/commandExecution/requestApproval'])
  })

  it('lets a handler accept', async () => {
    const { codex, cwd } = await openClient(
      [[shell('touch made', { escalate: 'to show' })], [message('fine')]],
      {
        client: { handlers: { 'item/commandExecution/requestApproval': () => ({ decision: 'accept' }) } },
      },
    )
    const turn = await (await codex.startThread({ cwd })).startTurn('go')
    expect(await turn.outcome).toMatchObject({ status: 'completed' })
    expect(readFileSync(path.join(cwd, 'made'), 'utf8')).toBe('')
  })
})

describe('threads', () => {
  it('resume in a new process, and the model sees what was said before', async () => {
    const { codex, cwd, open, model } = await openClient([[message('I am one')], [message('I am two')]])
    const thread = await codex.startThread({ cwd })
    await (await thread.startTurn('who?')).outcome
    await codex.close()
    const again = await open()
    const resumed = await again.resumeThread(thread.id)
    expect(resumed.id).toBe(thread.id)
    expect(await (await resumed.startTurn('and now?')).outcome).toMatchObject({
      status: 'completed',
      text: 'I am two',
    })
    expect(JSON.stringify(model.requests[1]?.body)).toContain('I am one')
  })

  it('run side by side on one client, each with its own events and text', async () => {
    const { codex, cwd } = await openClient((request) => {
      const name = lastUserText(request)
      return request.body.input.some((item) => item.type === 'function_call_output')
        ? [message(`answer of ${name}`, { chunkSize: 3 })]
        : [shell(`echo ${name}`)]
    })
    const threads = await Promise.all(Array.from({ length: 20 }, () => codex.startThread({ cwd })))
    const run = async (thread: Thread, index: number) => {
      const turn = await thread.startTurn(`thread-${index}`)
      const all = await collect(turn)
      const strangers = all.filter(({ params }) => 'threadId' in params && params.threadId !== thread.id)
      expect(strangers).toEqual([])
      expect(await turn.outcome).toMatchObject({ status: 'completed', text: `answer of thread-${index}` })
    }
    await Promise.all(threads.map(run))
  })

  it('say what is in force: read-only and asking, unless told otherwise', async () => {
    const { codex, cwd } = await openClient([])
    expect((await codex.startThread({ cwd })).settings).toMatchObject({
      approvalPolicy: 'on-request',
      sandbox: { type: 'readOnly' },
    })
  })
})

describe('the client', () => {
  it('says which codex it talks to and where that lives', async () => {
    const { codex, home } = await openClient([])
    expect(codex.codexVersion).toBe('0.166.0')
    expect(codex.userAgent).toMatch(/^drawbridge\/0\.166\.0 /)
    expect(codex.codexHome).toBe(home.path)
  })

  it('refuses experimental methods before codex does, and allows them when asked', async () => {
    const { codex, open } = await openClient([])
    const list = { threadId: '01a1e13a-934c-76f1-99e1-3c00b666ea26' }
    await expect(codex.request('thread/backgroundTerminals/list', list)).rejects.toMatchObject({
      code: 'experimental-method',
    })
    await codex.close()
    const experimental = await open({ experimental: true })
    await expect(experimental.request('thread/backgroundTerminals/list', list)).rejects.toMatchObject({
      code: 'rpc-error',
      message: expect.stringContaining('thread not found'),
    })
  })

  it('gives every notification to subscribers and iterators until it closes', async () => {
    const { codex, cwd } = await openClient([[message('hi')]])
    const heard: string[] = []
    const stop = codex.subscribe(({ method }) => void heard.push(method))
    const iterated: string[] = []
    const reading = (async () => {
      for await (const { method } of codex.notifications()) iterated.push(method)
    })()
    await (await (await codex.startThread({ cwd })).startTurn('hello')).outcome
    stop()
    await codex.close()
    await reading
    expect(heard).toContain('turn/completed')
    expect(iterated.slice(0, heard.length)).toEqual(heard)
  })

  it('does not hear what it opted out of', async () => {
    const { codex, cwd } = await openClient([[message('hi', { chunkSize: 1 })]], {
      client: { optOut: ['item/agentMessage/delta'] },
    })
    const turn = await (await codex.startThread({ cwd })).startTurn('hello')
    const all = await collect(turn)
    expect(only(all, 'item/agentMessage/delta')).toEqual([])
    expect(await turn.outcome).toMatchObject({ text: 'hi' })
  })

  it('answers 500 requests made at once, none lost', async () => {
    const { codex } = await openClient([])
    const asked = Array.from({ length: 500 }, () => codex.request('thread/loaded/list', {}))
    expect((await Promise.all(asked)).every(({ data }) => Array.isArray(data))).toBe(true)
  })
})
