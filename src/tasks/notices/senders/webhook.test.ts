import { describe, expect, it, onTestFinished } from 'vitest'
import { type Answer, startReceiver } from '../fixtures/receiver.ts'
import { NOW, noticeTo, settings } from '../fixtures/tasks.ts'
import { NoticeSender, type NoticeSettings, verifySignature } from '../index.ts'

const finished = onTestFinished
const signal = new AbortController().signal

async function sendTo(answer: Answer, { known = {}, path = '/hook/s3cret-path-of-this-one' }: Options = {}) {
  const receiver = await startReceiver(answer, { finished })
  const notice = noticeTo(`webhook:${receiver.url}${path}`)
  const result = await new NoticeSender(settings(known)).send(notice, { signal })
  return { receiver, notice, result, request: receiver.received[0]! }
}

interface Options {
  readonly known?: Partial<NoticeSettings>
  readonly path?: string
}

describe('webhook', () => {
  it('posts the payload, signed, timed and with a key that stays the same', async () => {
    const { result, notice, request } = await sendTo(() => ({ status: 202 }), {
      known: { webhookSecret: 'k3y' },
    })
    expect(result).toEqual({ ok: true })
    expect(request).toMatchObject({
      method: 'POST',
      path: '/hook/s3cret-path-of-this-one',
      body: notice.payload,
    })
    expect(request.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'idempotency-key': notice.id,
    })
    const header = String(request.headers['drawbridge-signature'])
    expect(verifySignature(request.body, header, 'k3y', { now: NOW })).toBe(true)
    expect(verifySignature(request.body, header, 'other', { now: NOW })).toBe(false)
  })

  it('goes unsigned when there is no secret', async () => {
    const { request } = await sendTo(() => ({}))
    expect(request.headers).not.toHaveProperty('drawbridge-signature')
  })

  it('sends name and password of the url as basic authorization', async () => {
    const receiver = await startReceiver(() => ({}), { finished })
    const url = receiver.url.replace('//', '//me:p%40ss@')
    await new NoticeSender(settings()).send(noticeTo(`webhook:${url}/x`), { signal })
    expect(receiver.received[0]).toMatchObject({
      path: '/x',
      headers: { authorization: `Basic ${Buffer.from('me:p@ss').toString('base64')}` },
    })
  })

  it.each([400, 401, 403, 404, 410, 422])('gives up on %i', async (status) => {
    const { result } = await sendTo(() => ({ status, body: 'no' }))
    expect(result).toEqual({ ok: false, error: `HTTP ${status}: no`, permanent: true, retryAfterMs: null })
  })

  it.each([408, 425, 500, 502, 504])('tries again after %i', async (status) => {
    const { result } = await sendTo(() => ({ status, headers: { 'Retry-After': '7' } }))
    expect(result).toMatchObject({ ok: false, permanent: false, retryAfterMs: null })
  })

  it.each([429, 503])('waits after %i as long as it is told, in seconds or until a time', async (status) => {
    const seconds = await sendTo(() => ({ status, headers: { 'Retry-After': '7' } }))
    expect(seconds.result).toMatchObject({ permanent: false, retryAfterMs: 7_000 })
    const date = new Date(NOW + 90_000).toUTCString()
    const time = await sendTo(() => ({ status, headers: { 'Retry-After': date } }))
    expect(time.result).toMatchObject({ permanent: false, retryAfterMs: 90_000 })
    const never = await sendTo(() => ({ status }))
    expect(never.result).toMatchObject({ permanent: false, retryAfterMs: null })
  })

  it('does not follow a redirect', async () => {
    const other = await startReceiver(() => ({}), { finished })
    const { result } = await sendTo(() => ({ status: 307, headers: { Location: other.url } }))
    expect(result).toMatchObject({ ok: false, permanent: true, error: expect.stringContaining('redirect') })
    expect(other.received).toEqual([])
  })

  it('tries again when there is no answer in time', async () => {
    const { result } = await sendTo(() => 'hang', { known: { timeoutMs: 50 } })
    expect(result).toMatchObject({ error: '127.0.0.1 did not answer in time', permanent: false })
  })

  it('takes a status for an answer though the body never ends', async () => {
    const known = { timeoutMs: 100 }
    const yes = await sendTo(() => ({ body: 'thanks', isEndless: true }), { known })
    expect(yes.result).toEqual({ ok: true })
    const no = await sendTo(() => ({ status: 400, body: 'no', isEndless: true }), { known })
    expect(no.result).toMatchObject({ error: 'HTTP 400: no', permanent: true })
  })

  it('tries again when nobody is there', async () => {
    const result = await new NoticeSender(settings()).send(noticeTo('webhook:http://127.0.0.1:1/'), {
      signal,
    })
    expect(result).toMatchObject({ error: 'cannot reach 127.0.0.1: ECONNREFUSED', permanent: false })
  })

  it('is not sent to an address that is not public, for good', async () => {
    const { result, receiver } = await sendTo(() => ({}), { known: { allowPrivate: [] } })
    expect(result).toMatchObject({ permanent: true, error: expect.stringContaining('allowPrivate') })
    expect(receiver.received).toEqual([])
  })

  it('says of a long answer only the beginning, on one line, without the secrets it repeats', async () => {
    const { result } = await sendTo(({ path }) => ({
      status: 400,
      body: `no such\nhook ${path} ${'x'.repeat(900_000)}`,
    }))
    expect(result).toMatchObject({ error: expect.stringMatching(/^HTTP 400: no such hook \S+ x+$/) })
    expect(JSON.stringify(result)).not.toContain('s3cret-path')
    expect((result as { error: string }).error.length).toBeLessThanOrEqual(300)
  })
})
