import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { signBody, verifySignature } from './index.ts'
import { retryAfterMs } from './retry-after.ts'

const now = 1_800_000_000_000
const body = '{"cause":"ended"}'

describe('verifySignature', () => {
  const header = signBody(body, 'secret', { now })

  it('knows a body that was signed as documented', () => {
    const hex = createHmac('sha256', 'secret').update(`1800000000.${body}`).digest('hex')
    expect(header).toBe(`t=1800000000,v1=${hex}`)
    expect(verifySignature(body, header, 'secret', { now })).toBe(true)
    expect(verifySignature(Buffer.from(body), header, 'secret', { now: now + 299_000 })).toBe(true)
  })

  it('takes any of several signatures, while a secret changes', () => {
    const other = signBody(body, 'old', { now }).split(',')[1]
    expect(verifySignature(body, `${header},${other}`, 'old', { now })).toBe(true)
  })

  it.each([
    ['another body', `${body} `, header, 'secret', now],
    ['another secret', body, header, 'other', now],
    ['another time', body, header.replace('t=18', 't=19'), 'secret', now],
    ['an old one', body, header, 'secret', now + 301_000],
    ['one of the future', body, header, 'secret', now - 301_000],
    ['none', body, null, 'secret', now],
    ['an empty one', body, 't=1800000000,v1=', 'secret', now],
    ['one cut short', body, header.slice(0, -2), 'secret', now],
    ['one without a time', body, header.split(',')[1]!, 'secret', now],
  ])('refuses %s', (_, text, given, secret, at) => {
    expect(verifySignature(text, given, secret, { now: at })).toBe(false)
  })
})

it.each([
  ['30', 30_000],
  ['0.4', 400],
  [new Date(now + 90_000).toUTCString(), 90_000],
  [new Date(now - 90_000).toUTCString(), 0],
  ['soon', null],
  ['-5', null],
  [undefined, null],
])('reads Retry-After %s', (header, expected) => {
  expect(retryAfterMs(header, now)).toBe(expected)
})
