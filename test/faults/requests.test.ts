// Codex asks, and nobody answers as it should: no handler, one that throws, one that never settles.
import { describe, expect, it } from 'vitest'
import { Refusal } from '../../src/codex/index.ts'
import { type Action, fake } from '../../src/testing/index.ts'
import { fakeHost } from './fake-host.ts'
import { eventually, within } from './processes.ts'
import { iterated } from './watched-host.ts'

const COMMAND = 'item/commandExecution/requestApproval'
const PLACE = { threadId: '$threadId', turnId: '$turnId', itemId: 'item-1' }

/** A turn that asks this, waits for every answer, and then completes. */
function asking(...requests: { method: string; id: string | number; params?: object }[]): readonly Action[] {
  const [reply, ...rest] = fake.completedTurn('went on')
  const asked = requests.map(({ method, id, params }) => fake.request(method, { ...PLACE, ...params }, id))
  return [reply!, ...asked, ...requests.map(({ id }) => fake.waitForAnswer(id)), ...rest]
}

describe.concurrent('a request without a handler', () => {
  it.each([
    [COMMAND, { decision: 'decline' }],
    ['item/fileChange/requestApproval', { decision: 'decline' }],
    ['item/permissions/requestApproval', { permissions: {}, scope: 'turn' }],
    ['item/tool/requestUserInput', { answers: {} }],
    ['mcpServer/elicitation/request', { action: 'decline', content: null, _meta: null }],
    [
      'item/tool/call',
      { contentItems: [{ type: 'inputText', text: 'The tool lookup is not available.' }], success: false },
    ],
    ['applyPatchApproval', { decision: { denied: { rejection: 'nobody approved it' } } }],
    ['execCommandApproval', { decision: { denied: { rejection: 'nobody approved it' } } }],
    ['account/chatgptAuthTokens/refresh', { error: { code: -32000 } }],
    ['attestation/generate', { error: { code: -32000 } }],
    ['item/futureThing/requestApproval', { decision: 'decline' }],
    ['future/elicitation/request', { action: 'decline', content: null, _meta: null }],
    ['future/question', { error: { code: -32601, message: 'this client does not know future/question' } }],
  ])('is refused in the shape of its family: %s', async (method, refusal) => {
    await using host = await fakeHost({
      steps: [fake.on('turn/start', asking({ method, id: 'ask', params: { tool: 'lookup' } }))],
    })
    const codex = await host.open()
    const turn = await (await codex.startThread()).startTurn('go')
    expect(await within(5_000, turn.outcome)).toMatchObject({ status: 'completed', text: 'went on' })
    expect(await host.answerTo('ask')).toMatchObject(refusal)
    expect(host.incidents).toMatchObject([{ type: 'request-refused', method, error: null }])
  })

  it('is refused also when it comes without params', async () => {
    const bare = ['item/tool/call', COMMAND].map((method, id) => JSON.stringify({ id, method }))
    await using host = await fakeHost({
      steps: [fake.on('model/list', fake.raw(`${bare.join('\n')}\n`), fake.waitForAnswer(0), fake.reply())],
    })
    const codex = await host.open()
    await codex.request('model/list', {}, { timeoutMs: 5_000 })
    expect(await host.answerTo(0)).toMatchObject({ success: false })
    expect(await host.answerTo(1)).toEqual({ decision: 'decline' })
  })
})

describe.concurrent('the id of a request', () => {
  it('comes back with its type, whatever ids we use ourselves', async () => {
    const ids = [1, '1', 0, -4, 'ask-1', '', 9007199254740991]
    await using host = await fakeHost({
      steps: [fake.on('turn/start', asking(...ids.map((id) => ({ method: COMMAND, id }))))],
    })
    const codex = await host.open()
    const turn = await (await codex.startThread()).startTurn('go')
    expect(await within(5_000, turn.outcome)).toMatchObject({ status: 'completed' })
    const answered = host.program.received().filter(({ method }) => method === undefined)
    expect(answered.map(({ id }) => id)).toEqual(ids)
  })
})

describe.concurrent('a handler that fails', () => {
  it('means the refusal, and says why', async () => {
    await using host = await fakeHost({
      steps: [
        fake.on(
          'turn/start',
          asking({ method: COMMAND, id: 1 }, { method: 'item/tool/requestUserInput', id: 2 }),
        ),
      ],
    })
    const codex = await host.open({
      handlers: {
        [COMMAND]: () => {
          throw new Error('thrown at once')
        },
        'item/tool/requestUserInput': () => Promise.reject(new Error('rejected later')),
      },
    })
    const turn = await (await codex.startThread()).startTurn('go')
    expect(await within(5_000, turn.outcome)).toMatchObject({ status: 'completed' })
    expect(await host.answerTo(1)).toEqual({ decision: 'decline' })
    expect(await host.answerTo(2)).toEqual({ answers: {} })
    expect(host.incidents).toMatchObject([
      { type: 'request-refused', method: COMMAND, error: { message: 'thrown at once' } },
      { type: 'request-refused', error: { message: 'rejected later' } },
    ])
  })

  it('with a Refusal answers with exactly that', async () => {
    await using host = await fakeHost({ steps: [fake.on('turn/start', asking({ method: COMMAND, id: 1 }))] })
    const codex = await host.open({
      handlers: { [COMMAND]: () => Promise.reject(new Refusal('not now', -32050)) },
    })
    const turn = await (await codex.startThread()).startTurn('go')
    expect(await within(5_000, turn.outcome)).toMatchObject({ status: 'completed' })
    expect(await host.answerTo(1)).toEqual({ error: { code: -32050, message: 'not now' } })
    expect(host.incidents).toEqual([])
  })

  it('because its answer cannot be written as JSON means a refusal too', async () => {
    await using host = await fakeHost({ steps: [fake.on('turn/start', asking({ method: COMMAND, id: 1 }))] })
    const codex = await host.open({ handlers: { [COMMAND]: () => ({ decision: 10n }) as never } })
    const turn = await (await codex.startThread()).startTurn('go')
    expect(await within(5_000, turn.outcome)).toMatchObject({ status: 'completed' })
    expect(await host.answerTo(1)).toEqual({
      error: { code: -32603, message: 'the client failed to handle this request' },
    })
    expect(host.incidents).toMatchObject([{ type: 'handler-failed', method: COMMAND }])
  })
})

describe.concurrent('a handler that never settles', () => {
  it('holds up neither notifications nor other requests, ours or its, nor the close', async () => {
    const signals: AbortSignal[] = []
    const [reply, ...rest] = fake.completedTurn('went on')
    await using host = await fakeHost({
      steps: [
        fake.on(
          'turn/start',
          reply!,
          fake.request(COMMAND, PLACE, 'stuck'),
          fake.request('item/fileChange/requestApproval', PLACE, 'next'),
          fake.waitForAnswer('next'),
          ...rest,
        ),
      ],
    })
    const codex = await host.open({
      handlers: {
        [COMMAND]: (_params, { signal }) => {
          signals.push(signal)
          return new Promise(() => {})
        },
      },
    })
    const turn = await (await codex.startThread()).startTurn('go')
    const { events } = await within(5_000, iterated(turn))
    expect(events.at(-1)!.method).toBe('turn/completed')
    expect(await codex.request('model/list', {})).toEqual({ data: [], nextCursor: null })
    expect(signals[0]!.reason).toMatchObject({ code: 'request-withdrawn', message: 'its turn has ended' })
    await within(2_000, codex.close())
    expect(host.program.received().some(({ id }) => id === 'stuck')).toBe(false)
  })

  it('learns from serverRequest/resolved that its question no longer stands', async () => {
    const [reply, ...rest] = fake.completedTurn('went on')
    await using host = await fakeHost({
      steps: [
        fake.on(
          'turn/start',
          reply!,
          fake.request(COMMAND, PLACE, 7),
          fake.request(COMMAND, PLACE, '7'),
          fake.request('currentTime/read', {}, 'both have been asked'),
          fake.waitForAnswer('both have been asked'),
          fake.notify('serverRequest/resolved', { threadId: '$threadId', requestId: 7 }),
          fake.notify('serverRequest/resolved', { threadId: '$threadId', requestId: 'nobody' }),
          fake.notify('serverRequest/resolved', { threadId: '$threadId' }),
          ...rest,
        ),
      ],
    })
    const signals: AbortSignal[] = []
    const codex = await host.open({
      handlers: {
        [COMMAND]: (_params, { signal }) => {
          signals.push(signal)
          return new Promise(() => {})
        },
      },
    })
    const turn = await (await codex.startThread()).startTurn('go')
    expect(await within(5_000, turn.outcome)).toMatchObject({ status: 'completed' })
    expect(signals.map(({ reason }) => reason.message)).toEqual([
      'another client of codex answered it',
      'its turn has ended',
    ])
    expect(host.incidents).toEqual([])
  })

  it('is not even asked when codex takes the question back in the same breath', async () => {
    const lines = [
      { id: 7, method: COMMAND, params: {} },
      { method: 'serverRequest/resolved', params: { threadId: 't', requestId: 7 } },
      { id: 8, method: COMMAND, params: {} },
    ]
    await using host = await fakeHost({
      steps: [
        fake.on(
          'model/list',
          fake.raw(lines.map((line) => `${JSON.stringify(line)}\n`).join('')),
          fake.reply(),
        ),
      ],
    })
    const signals: AbortSignal[] = []
    const codex = await host.open({
      handlers: {
        [COMMAND]: (_params, { signal }) => {
          signals.push(signal)
          return new Promise(() => {})
        },
      },
    })
    await codex.request('model/list', {})
    expect(signals.map(({ aborted }) => aborted)).toEqual([false])
    expect(host.incidents).toEqual([])
  })

  it('learns that codex has died', async () => {
    await using host = await fakeHost({
      steps: [
        fake.on('turn/start', fake.reply(), fake.request(COMMAND, PLACE, 'ask')),
        fake.on('model/list', fake.crash()),
      ],
    })
    const aborted = Promise.withResolvers<unknown>()
    const codex = await host.open({
      handlers: {
        [COMMAND]: (_params, { signal }) => {
          signal.addEventListener('abort', () => aborted.resolve(signal.reason))
          void codex.request('model/list', {}).catch(() => {})
          return new Promise(() => {})
        },
      },
    })
    const turn = await (await codex.startThread()).startTurn('go')
    const outcome = await within(5_000, turn.outcome)
    expect(outcome).toMatchObject({ status: 'lost', error: { code: 'codex-crashed' } })
    expect(await within(1_000, aborted.promise)).toBe(await codex.closed)
  })
})

describe.concurrent('a question that codex sends again under the same id', () => {
  it('is asked once and answered once', async () => {
    const [reply, ...rest] = fake.completedTurn('went on')
    await using host = await fakeHost({
      steps: [
        fake.on('turn/start', reply!, fake.request(COMMAND, PLACE, 5), fake.waitForAnswer(5), ...rest),
        fake.on('thread/resume', fake.request(COMMAND, PLACE, 5), fake.reply()),
      ],
    })
    const answer = Promise.withResolvers<{ decision: 'accept' }>()
    let asked = 0
    const codex = await host.open({
      handlers: {
        [COMMAND]: () => {
          asked++
          return answer.promise
        },
      },
    })
    const thread = await codex.startThread()
    const turn = await thread.startTurn('go')
    await eventually(() => asked > 0, 'the question')
    await codex.resumeThread(thread.id)
    answer.resolve({ decision: 'accept' })
    expect(await within(5_000, turn.outcome)).toMatchObject({ status: 'completed' })
    await codex.request('model/list', {})
    expect(asked).toBe(1)
    expect(host.program.received().filter(({ id, method }) => id === 5 && !method)).toHaveLength(1)
  })
})
