// Codex does not answer as it should: never, late, twice, too busy, with something else.
import { describe, expect, it } from 'vitest'
import { RequestTimeoutError, ResumedOtherThreadError, RpcError } from '../../src/codex/index.ts'
import { fake } from '../../src/testing/index.ts'
import { fakeHost } from './fake-host.ts'
import { eventually, rejection, within } from './processes.ts'

describe.concurrent('a reply', () => {
  it('that never comes is an error at the deadline of its request, and only of that', async () => {
    await using host = await fakeHost({ steps: [fake.once('model/list', fake.noReply())] })
    const codex = await host.open()
    const missing = codex.request('model/list', {}, { timeoutMs: 300 })
    const other = codex.request('thread/read', { threadId: 'thread-1', includeTurns: false })
    const error = await rejection(missing, 1_000)
    expect(error).toBeInstanceOf(RequestTimeoutError)
    expect(error).toMatchObject({
      code: 'request-timeout',
      method: 'model/list',
      timeoutMs: 300,
      retryable: true,
    })
    expect((await other).thread.id).toBe('thread-1')
    expect(await codex.request('model/list', {})).toEqual({ data: [], nextCursor: null })
    expect(host.incidents).toEqual([])
  })

  it('that comes after its deadline is counted and dropped', async () => {
    await using host = await fakeHost({ steps: [fake.once('model/list', fake.lateReply(400))] })
    const codex = await host.open()
    const error = await rejection(codex.request('model/list', {}, { timeoutMs: 50 }))
    expect(error).toBeInstanceOf(RequestTimeoutError)
    await eventually(() => host.incidents.length > 0, 'the late reply is reported')
    expect(host.incidents).toEqual([{ type: 'late-reply', id: expect.any(Number) }])
    expect(await codex.request('model/list', {})).toEqual({ data: [], nextCursor: null })
  })

  it('to a request whose caller gave up does no harm', async () => {
    await using host = await fakeHost({
      steps: [fake.once('model/list', fake.waitForAnswer('go'), fake.reply())],
    })
    const codex = await host.open()
    const controller = new AbortController()
    const request = codex.request('model/list', {}, { signal: controller.signal })
    await host.program.waitFor((event) => event.event === 'received' && event.message.method === 'model/list')
    controller.abort(new Error('no longer wanted'))
    expect(await rejection(request)).toMatchObject({ message: 'no longer wanted' })
    expect(await codex.request('model/list', {})).toEqual({ data: [], nextCursor: null })
  })

  it('to nobody, or given twice, is reported and survived', async () => {
    await using host = await fakeHost({
      steps: [
        fake.once(
          'model/list',
          fake.unknownReply('nobody'),
          fake.unknownReply(4_000),
          fake.unknownReply(-1),
          fake.duplicateReply({ data: [], nextCursor: 'mine' }),
        ),
      ],
    })
    const codex = await host.open()
    expect(await codex.request('model/list', {})).toMatchObject({ nextCursor: 'mine' })
    expect(await codex.request('model/list', {})).toMatchObject({ nextCursor: null })
    expect(host.incidents).toEqual([
      { type: 'unknown-reply', id: 'nobody' },
      { type: 'unknown-reply', id: 4_000 },
      { type: 'unknown-reply', id: -1 },
      { type: 'late-reply', id: expect.any(Number) },
    ])
  })

  it('with an error in an odd shape is an RpcError all the same', async () => {
    await using host = await fakeHost({
      steps: [
        fake.once('model/list', { do: 'send', message: { id: '$id', error: 'no' as never } }),
        fake.once('model/list', { do: 'send', message: { id: '$id', error: {} as never } }),
      ],
    })
    const codex = await host.open()
    for (const _ of [1, 2]) {
      const error = await rejection(codex.request('model/list', {}))
      expect(error).toBeInstanceOf(RpcError)
      expect(error).toMatchObject({ code: 'rpc-error', rpcCode: -1, method: 'model/list' })
    }
  })
})

describe.concurrent('an overloaded codex', () => {
  it('is asked again until it answers', async () => {
    await using host = await fakeHost({ steps: [fake.overloaded('model/list', 3)] })
    const codex = await host.open()
    expect(await within(5_000, codex.request('model/list', {}))).toEqual({ data: [], nextCursor: null })
    expect(host.program.received().filter(({ method }) => method === 'model/list')).toHaveLength(4)
  })

  it('that stays so is an error after a bounded number of tries', async () => {
    await using host = await fakeHost({ steps: [fake.overloaded('model/list', 1_000)] })
    const codex = await host.open()
    const error = await rejection(codex.request('model/list', {}), 10_000)
    expect(error).toBeInstanceOf(RpcError)
    expect(error).toMatchObject({ code: 'rpc-error', rpcCode: -32001, retryable: true })
    expect(host.program.received().filter(({ method }) => method === 'model/list')).toHaveLength(7)
    expect((await codex.startThread()).id).toBeTypeOf('string')
  })

  it('does not extend the deadline of a request', async () => {
    await using host = await fakeHost({ steps: [fake.overloaded('model/list', 1_000)] })
    const codex = await host.open()
    const error = await rejection(codex.request('model/list', {}, { timeoutMs: 200 }), 1_000)
    expect(error).toBeInstanceOf(RequestTimeoutError)
  })
})

describe.concurrent('a handshake', () => {
  it('that is never answered ends at its deadline, and with it the process', async () => {
    await using host = await fakeHost({ steps: [fake.on('initialize', fake.noReply())] })
    const error = await rejection(host.open(), 15_000)
    expect(error).toBeInstanceOf(RequestTimeoutError)
    expect(error).toMatchObject({ method: 'initialize', timeoutMs: 10_000 })
    host.expectNothingLeft()
  })

  it('that is never answered ends at once when the caller gives up', async () => {
    await using host = await fakeHost({ steps: [fake.on('initialize', fake.noReply())] })
    const controller = new AbortController()
    const opening = host.open({ signal: controller.signal })
    await host.program.waitFor(({ event }) => event === 'received')
    controller.abort(new Error('no longer wanted'))
    expect(await rejection(opening, 1_500)).toMatchObject({ message: 'no longer wanted' })
    host.expectNothingLeft()
  })

  it('that is refused is codex’s own error', async () => {
    await using host = await fakeHost({ steps: [fake.on('initialize', fake.error(-32600, 'no entry'))] })
    const error = await rejection(host.open())
    expect(error).toBeInstanceOf(RpcError)
    expect(error).toMatchObject({ method: 'initialize', rpcCode: -32600 })
    expect((error as Error).message).toContain('no entry')
    host.expectNothingLeft()
  })

  it.each([null, 'welcome', {}])('that is answered with %j is an error that says so', async (result) => {
    await using host = await fakeHost({ steps: [fake.on('initialize', fake.reply(result))] })
    const error = await rejection(host.open())
    expect(error).toMatchObject({
      name: 'UnexpectedReplyError',
      code: 'unexpected-reply',
      method: 'initialize',
    })
    host.expectNothingLeft()
  })
})

describe.concurrent('a reply of another shape', () => {
  const unexpected = (method: string) => ({ name: 'UnexpectedReplyError', code: 'unexpected-reply', method })
  const shapes = [null, {}, { thread: null }, { thread: { id: 7 } }]

  it('to thread/start or thread/resume is an error that says so', async () => {
    await using host = await fakeHost({
      steps: ['thread/start', 'thread/resume'].flatMap((method) =>
        shapes.map((shape) => fake.once(method, fake.reply(shape))),
      ),
    })
    const codex = await host.open()
    for (const _ of shapes) {
      expect(await rejection(codex.startThread())).toMatchObject(unexpected('thread/start'))
      expect(await rejection(codex.resumeThread('t'))).toMatchObject(unexpected('thread/resume'))
    }
    expect((await codex.startThread()).id).toBeTypeOf('string')
  })

  it('to turn/start is an error that says so, and leaves the thread free', async () => {
    const wrong = [null, {}, { turn: null }, { turn: { id: 7 } }]
    await using host = await fakeHost({
      steps: wrong.map((shape) => fake.once('turn/start', fake.reply(shape))),
    })
    const codex = await host.open()
    const thread = await codex.startThread()
    for (const _ of wrong)
      expect(await rejection(thread.startTurn('go'))).toMatchObject(unexpected('turn/start'))
    expect(await (await thread.startTurn('go')).outcome).toMatchObject({ status: 'completed' })
  })

  it('to thread/resume, naming another thread, is an error that names both', async () => {
    await using host = await fakeHost({
      steps: [fake.once('thread/resume', fake.reply({ thread: { id: 'other' } }))],
    })
    const codex = await host.open()
    const error = await rejection(codex.resumeThread('mine'))
    expect(error).toBeInstanceOf(ResumedOtherThreadError)
    expect(error).toMatchObject({ code: 'resumed-other-thread' })
    expect((error as Error).message).toMatch(/mine.*other/)
    expect((await codex.resumeThread('mine')).id).toBe('mine')
  })

  it('with thread/start refused is codex’s own error, and the client stays usable', async () => {
    await using host = await fakeHost({ steps: [fake.once('thread/start', fake.error(-32603, 'disk full'))] })
    const codex = await host.open()
    const error = await rejection(codex.startThread())
    expect(error).toBeInstanceOf(RpcError)
    expect(error).toMatchObject({ method: 'thread/start', rpcCode: -32603 })
    expect((await codex.startThread()).id).toBeTypeOf('string')
  })
})
