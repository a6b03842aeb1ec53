import { expect, it } from 'vitest'
import { openScriptedCodex as open } from '../../../test/support/scripted-codex.ts'
import { cutStream, failed, hang, headers, httpError, incomplete, message, slow, sse } from '../index.ts'

it('fails the turn with what codex makes of an HTTP status', async () => {
  const script = [httpError(401, 'who are you'), httpError(429), httpError(500), message('fine again')]
  const { codex, threadId } = await open(script)
  const errors = []
  for (let call = 0; call < 3; call++) errors.push((await codex.turn(threadId, 'go')).error)
  expect(errors).toMatchObject([
    {
      codexErrorInfo: { httpConnectionFailed: { httpStatusCode: 401 } },
      message: expect.stringContaining('who are you'),
    },
    { codexErrorInfo: { responseTooManyFailedAttempts: { httpStatusCode: 429 } } },
    { codexErrorInfo: 'internalServerError' },
  ])
  expect(await codex.turn(threadId, 'go')).toMatchObject({ status: 'completed' })
})

it('cuts the stream after so many events, or where the cut stands', async () => {
  const { codex, threadId } = await open([
    [message('x', { count: 10 }), cutStream(5)],
    [message('half'), cutStream()],
    cutStream(),
  ])
  for (let call = 0; call < 3; call++) {
    const { error } = await codex.turn(threadId, 'go')
    expect(error.codexErrorInfo).toSatisfy((info) => info === 'other' || info.httpConnectionFailed)
  }
  // Five events are: created, item added, three deltas.
  const deltas = codex.all('item/agentMessage/delta').map(({ params }) => params.delta)
  expect(deltas).toEqual(['x', 'x', 'x', 'half'])
})

it('reports a response that failed and one that stayed incomplete', async () => {
  const { codex, threadId } = await open([
    [message('half'), failed('rate_limit_exceeded', 'slow down')],
    [message('half'), incomplete('max_output_tokens')],
  ])
  expect((await codex.turn(threadId, 'go')).error.codexErrorInfo).toBe('rateLimitExceeded')
  expect((await codex.turn(threadId, 'go')).error.message).toContain('max_output_tokens')
})

it('hangs before or within the stream until the turn is interrupted', async () => {
  const { codex, model, threadId } = await open([hang(), [message('half'), hang()]])
  for (const call of [1, 2]) {
    const { result } = await codex.request('turn/start', { threadId, input: [{ type: 'text', text: 'go' }] })
    await model.waitForRequests(call)
    if (call === 2) await codex.wait(({ method }) => method === 'item/agentMessage/delta')
    await codex.request('turn/interrupt', { threadId, turnId: result.turn.id })
    const isEnd = (params: { turn: { id: string } }) => params.turn.id === result.turn.id
    const end = await codex.wait(({ method, params }) => method === 'turn/completed' && isEnd(params))
    expect(end.params.turn.status).toBe('interrupted')
  }
})

it('ends a hanging call at once when it is closed', async () => {
  const { codex, model, threadId } = await open([hang()])
  const turn = codex.turn(threadId, 'go')
  await model.waitForRequests(1)
  await model.close()
  expect(await turn).toMatchObject({ status: 'failed' })
})

it('waits before the first byte, and before each event', async () => {
  const { codex, threadId } = await open([
    [slow(80), message('a')],
    [slow(20, { every: 'event' }), message('b', { count: 2, delayMs: 10 })],
  ])
  // created, added, two deltas (20 + 10 each), done, completed
  for (const leastMs of [80, 140]) {
    expect((await codex.turn(threadId, 'go')).durationMs).toBeGreaterThanOrEqual(leastMs)
  }
})

it('sends raw events as they are', async () => {
  const item = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'raw' }] }
  const { codex, threadId } = await open([
    sse([
      'event: nonsense\ndata: {not json\n\n',
      { type: 'response.output_item.done', item },
      { type: 'response.completed', response: { id: 'r1' } },
    ]),
  ])
  expect((await codex.turn(threadId, 'go')).items[0].text).toBe('raw')
})

it('sends the headers codex reads rate limits from', async () => {
  const used = headers({ 'x-codex-primary-used-percent': '42', 'x-codex-primary-window-minutes': '300' })
  const { codex, threadId } = await open([[used, message('hi')]])
  await codex.turn(threadId, 'go')
  expect(codex.all('account/rateLimits/updated')[0]!.params.rateLimits.primary.usedPercent).toBe(42)
})

it('says so when the script runs out, in the turn and in its problems', async () => {
  const { codex, model, threadId } = await open([message('only one')])
  await codex.turn(threadId, 'go')
  const exhausted = 'the script is exhausted: it has 1 replies and this is call 2'
  expect((await codex.turn(threadId, 'go')).error.message).toContain(exhausted)
  expect(model.problems).toEqual([exhausted])
})

it('repeats the last reply when asked to', async () => {
  const { codex, model, threadId } = await open([message('again')], { model: { repeatLast: true } })
  for (let call = 0; call < 3; call++) {
    expect(await codex.turn(threadId, 'go')).toMatchObject({ status: 'completed' })
  }
  expect(model.problems).toEqual([])
})
