import { runInNewContext } from 'node:vm'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { toFailure } from '../failure/index.ts'
import { isRefusal, Refusal } from '../wire/message.ts'
import { RpcError } from './errors.ts'
import { hasCode, isDrawbridgeError } from './has-code.ts'
import { NothingToResumeError } from './thread-errors.ts'

/** As a second copy of this package, or one in a realm of its own, would make it. */
function foreign(name: string, fields: object): Error {
  const error = runInNewContext('new Error("of another copy")') as Error
  return Object.assign(error, { name, retryable: false, ...fields })
}

describe('an error of another copy of the package', () => {
  it('is known by its code, and has what that code promises', () => {
    const rpcMessage = 'failed to load configuration: x'
    const error: unknown = foreign('RpcError', { code: 'rpc-error', rpcCode: -32600, rpcMessage })
    expect(error).not.toBeInstanceOf(Error)
    expect(isDrawbridgeError(error)).toBe(true)
    expect(hasCode(error, 'transport-closed')).toBe(false)
    if (!hasCode(error, 'transport-closed', 'rpc-error')) throw new Error('it is one')
    expect(toFailure(error)).toMatchObject({ code: 'bad-config', resumable: false })
  })

  it.each([
    [
      { code: 'transport-closed', hasCodexEnded: true, stderrTail: ['last'] },
      { code: 'codex-crashed', stderrTail: ['last'] },
    ],
    [
      { code: 'request-timeout', retryable: true },
      { code: 'deadline', retryable: true },
    ],
    [{ code: 'nothing-to-resume' }, { code: 'other', resumable: false }],
    [
      { code: 'app-server-unreachable', retryable: true, hint: 'start one' },
      { code: 'unreachable', hint: 'start one' },
    ],
  ])('%# is the same failure as one of ours', (fields, failure) => {
    expect(toFailure(foreign('Some', fields))).toMatchObject(failure)
  })

  it('that refuses a request is heard as a refusal', () => {
    expect(isRefusal(new Refusal('no', -1))).toBe(true)
    expect(isRefusal(foreign('Refusal', { rpcCode: -1 }))).toBe(true)
    expect(isRefusal(new Error('no'))).toBe(false)
  })
})

describe('an error of somebody else', () => {
  it('is none of ours, whatever its code', () => {
    const missing = Object.assign(new Error('ENOENT'), { code: 'ENOENT' })
    for (const error of [missing, { code: 'rpc-error', retryable: true }, null, 'rpc-error', undefined])
      expect([isDrawbridgeError(error), hasCode(error, 'rpc-error', 'ENOENT')]).toEqual([false, false])
  })
})

it('narrows to the class that carries more, and else to the code', () => {
  const error: unknown = new NothingToResumeError('t', new RpcError('m', { code: 1, message: 'x' }))
  if (hasCode(error, 'rpc-error')) expectTypeOf(error).toEqualTypeOf<RpcError>()
  if (!hasCode(error, 'nothing-to-resume')) throw new Error('it is one')
  expectTypeOf(error.code).toEqualTypeOf<'nothing-to-resume'>()
  expect(error.message).toContain('nothing to resume')
})
