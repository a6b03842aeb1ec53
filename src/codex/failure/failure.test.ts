import { describe, expect, it } from 'vitest'
import { DrawbridgeError, RequestTimeoutError, RpcError, TransportClosedError } from '../errors/errors.ts'
import { toFailure } from './failure.ts'

const rpc = (code: number, message: string) => new RpcError('m', { code, message })
const info = (codexErrorInfo: unknown) => ({ message: 'x', codexErrorInfo }) as never
const exit = (...stderrTail: string[]) =>
  new TransportClosedError('codex exited with code 1', { stderrTail, hasCodexEnded: true })
const ours = (code: string) => new DrawbridgeError('x', { code })

describe('toFailure', () => {
  it.each([
    [info('usageLimitExceeded'), 'usage-limit'],
    [info('rateLimitExceeded'), 'rate-limit'],
    [info('contextWindowExceeded'), 'context-window'],
    [info('unauthorized'), 'auth'],
    [info('sandboxError'), 'sandbox'],
    [info('serverOverloaded'), 'overloaded'],
    [info('cyberPolicy'), 'policy'],
    [info({ httpConnectionFailed: { httpStatusCode: 401 } }), 'auth'],
    [info({ httpConnectionFailed: { httpStatusCode: null } }), 'network'],
    [info({ responseStreamDisconnected: { httpStatusCode: 503 } }), 'overloaded'],
    [info({ responseTooManyFailedAttempts: { httpStatusCode: 429 } }), 'rate-limit'],
    [info('somethingNew'), 'other'],
    [info({ somethingNew: 7 }), 'other'],
    [info('constructor'), 'other'],
    [info(null), 'other'],
    [{}, 'other'],
    [{ message: 'unexpected status 401 Unauthorized: no, url: x', codexErrorInfo: 'other' }, 'auth'],
    [{ message: 'I read: unexpected status 401 Unauthorized', codexErrorInfo: 'other' }, 'other'],
    [rpc(-32001, 'Server overloaded; retry later.'), 'overloaded'],
    [rpc(-32600, 'failed to load configuration: unknown variant'), 'bad-config'],
    [rpc(-32600, 'Invalid request: unknown variant `thread/revert`, expected one of'), 'unsupported'],
    [rpc(-32600, 'Invalid request: unknown variant `on-failure`, expected one of'), 'protocol'],
    [rpc(-32600, 'thread/x requires experimentalApi capability'), 'unsupported'],
    [rpc(-32600, 'codex account authentication required to read rate limits'), 'auth'],
    [rpc(-32600, 'invalid thread id: token'), 'other'],
    [new RequestTimeoutError('m', 5), 'deadline'],
    [exit('2026 WARN plugin pre-warm failed: 401 Unauthorized, refresh token expired'), 'codex-crashed'],
    [exit('Error: approval_policy = "untrusted" is no longer supported; remove this setting'), 'bad-config'],
    [exit(), 'codex-crashed'],
    [new TransportClosedError('the socket closed (1006)'), 'unreachable'],
    [ours('codex-not-found'), 'codex-missing'],
    [ours('not-logged-in'), 'not-logged-in'],
    [ours('app-server-unreachable'), 'unreachable'],
    [ours('codex-home-not-writable'), 'other'],
    [ours('nothing-to-resume'), 'other'],
    [ours('unsupported'), 'unsupported'],
    [ours('unexpected-reply'), 'protocol'],
    [new Error('token token token'), 'other'],
    [AbortSignal.timeout(0).reason ?? new DOMException('late', 'TimeoutError'), 'deadline'],
    ['a string', 'other'],
    [null, 'other'],
  ])('case %# is %s', (error, code) => {
    expect(toFailure(error)).toMatchObject({ code, message: expect.any(String), hint: expect.any(String) })
  })

  it('says what a provider said, and decides by how it was packed', () => {
    const message =
      'unexpected status 401 Unauthorized: {"error":{"message":"no key"}}, url: https://x.example/v1'
    const said = 'no key (401 Unauthorized from x.example)'
    expect(toFailure({ message, codexErrorInfo: 'other' })).toMatchObject({ code: 'auth', message: said })
  })

  it('carries the last 12 lines of a codex that died', () => {
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`)
    expect(toFailure(exit(...lines)).stderrTail).toEqual(lines.slice(-12))
  })

  it('knows when a limit ends: from the account, else from what codex says', () => {
    const resetAt = new Date(Date.now() + 60_000)
    expect(toFailure(info('usageLimitExceeded'), { resetAt }).resetAt).toBe(resetAt)
    const spoken = toFailure({ message: 'Please try again in 90s.', codexErrorInfo: 'rateLimitExceeded' })
    expect(Math.round((spoken.resetAt!.getTime() - Date.now()) / 1_000)).toBe(90)
    expect(toFailure(info('contextWindowExceeded'), { resetAt }).resetAt).toBeNull()
  })
})
