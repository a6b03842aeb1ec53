import { describe, expect, it } from 'vitest'
import { toFailure } from '../../src/codex/index.ts'
import {
  cutStream,
  failed,
  headers,
  httpError,
  message,
  type Reply,
  slow,
  sse,
  startScriptedModel,
} from '../../src/testing/index.ts'
import { openClient } from '../support/open-client.ts'

const resetsAt = Math.floor(Date.now() / 1_000) + 3_600
const limitBody = JSON.stringify({
  error: { type: 'usage_limit_reached', message: 'limit', resets_at: resetsAt },
})
const limitHeaders = {
  'content-type': 'application/json',
  'x-codex-primary-used-percent': '100',
  'x-codex-primary-window-minutes': '300',
  'x-codex-primary-reset-at': String(resetsAt),
}

const cases: readonly (readonly [string, Reply, object])[] = [
  ['401', [httpError(401, 'who?')], { code: 'auth', retryable: false, resumable: true }],
  ['403', [httpError(403, 'no')], { code: 'auth' }],
  [
    '429 without a reset time',
    [httpError(429, 'slow down')],
    { code: 'rate-limit', retryable: true, resetAt: null },
  ],
  [
    'a rate limit that says how long',
    [failed('rate_limit_exceeded', 'Please try again in 11.054s.')],
    { code: 'rate-limit', resetAt: expect.any(Date) },
  ],
  [
    'a usage limit',
    [httpError(429, limitBody, limitHeaders)],
    { code: 'usage-limit', retryable: true, resetAt: new Date(resetsAt * 1_000) },
  ],
  ['500', [httpError(500, 'oops')], { code: 'overloaded', retryable: true }],
  ['404', [httpError(404, 'nothing')], { code: 'model', retryable: false }],
  [
    'a model nobody knows',
    [httpError(400, '{"error":{"code":"model_not_found","message":"no such model"}}')],
    { code: 'model' },
  ],
  ['a full context window', [failed('context_length_exceeded', 'too long')], { code: 'context-window' }],
  ['a cut stream', [message('half'), cutStream(3)], { code: 'other', resumable: true }],
  ['an answer that is not one', [sse(['not json'])], { code: 'other' }],
]

describe('a model that fails', () => {
  it.each(cases)('%s is a failure to decide on', async (_, reply, expected) => {
    const { codex, cwd } = await openClient([reply, [message('well again')]], { model: { repeatLast: true } })
    const thread = await codex.startThread({ cwd })
    const outcome = await (await thread.startTurn('hi')).outcome
    expect(outcome).toMatchObject({ status: 'failed', error: { hint: expect.any(String), ...expected } })
    expect(await (await thread.startTurn('again')).outcome).toMatchObject({
      status: 'completed',
      text: 'well again',
    })
  })

  it('that refuses connections is a network failure', async () => {
    const gone = await startScriptedModel([])
    const { codex, cwd } = await openClient([], {
      home: { config: { 'model_providers.scripted.base_url': gone.url } },
    })
    await gone.close()
    const outcome = await (await (await codex.startThread({ cwd })).startTurn('hi')).outcome
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'network', retryable: true } })
  })

  it('that is slow to begin is only slow', async () => {
    const { codex, cwd } = await openClient([[slow(1_500), message('at last')]])
    const turn = await (await codex.startThread({ cwd })).startTurn('hi')
    expect(await turn.outcome).toMatchObject({ status: 'completed', text: 'at last' })
  })

  it('that codex tries again is progress, not a failure', async () => {
    const { codex, cwd } = await openClient([[message('half'), cutStream(3)], [message('whole')]], {
      home: { config: { 'model_providers.scripted.stream_max_retries': 2 } },
    })
    const turn = await (await codex.startThread({ cwd })).startTurn('hi')
    const retries: boolean[] = []
    for await (const event of turn) if (event.method === 'error') retries.push(event.params.willRetry)
    expect(retries).toEqual([true])
    expect(await turn.outcome).toMatchObject({
      status: 'completed',
      text: 'whole',
      agentMessages: [{ isPartial: false, text: 'whole' }, { isPartial: true }],
    })
  })
})

describe('other failures', () => {
  it('are told by their type: a refused request, bad configuration, a method this codex lacks', async () => {
    const { codex, cwd } = await openClient([[headers({}), message('x')]])
    const bad = await codex.startThread({ cwd, config: { sandbox_mode: 'bogus' } }).catch(toFailure)
    expect(bad).toMatchObject({ code: 'bad-config', resumable: false })
    const limits = await codex.request('account/rateLimits/read', {}).catch(toFailure)
    expect(limits).toMatchObject({ code: 'auth' })
    const missing = await codex.request('device/key/create' as 'model/list', {}).catch(toFailure)
    expect(missing).toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('unsupported by codex 0.166.0'),
    })
    const never = await codex.request('no/such/method' as 'model/list', {}).catch(toFailure)
    expect(never).toMatchObject({ code: 'unsupported' })
  })
})
