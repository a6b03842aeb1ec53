import { describe, expect, it } from 'vitest'
import { shownUrl } from '../index.ts'
import { readAddress } from './address.ts'

const SECRET = 'h4rd2gue55'

it('reads every part', () => {
  const text =
    'postgresql://us%40er:p%2Fa%23ss@[::1]:6000/da%20ta?sslmode=verify-full&sslrootcert=/ca.pem&application_name=x'
  expect(readAddress(text)).toEqual({
    host: '::1',
    port: 6000,
    user: 'us@er',
    password: 'p/a#ss',
    database: 'da ta',
    tls: 'verify-full',
    rootCertificate: '/ca.pem',
    applicationName: 'x',
  })
})

it.each([
  ['postgres://u@127.0.0.1/d', 'disable'],
  ['postgres://u@localhost/d', 'disable'],
  ['postgres://u@localhost/d?host=/run/postgresql', 'disable'],
  ['postgres://u@db.example/d', 'require'],
  ['postgres://u@127.example/d', 'require'],
  ['postgres://u@db.example/d?sslmode=disable', 'disable'],
])('encrypts unless the server is on this machine or the address says otherwise: %s', (text, tls) => {
  expect(readAddress(text).tls).toBe(tls)
})

describe('an address that is not understood', () => {
  it.each([
    'not a url',
    `mysql://u:${SECRET}@h/d`,
    `postgres://u:${SECRET}@h/`,
    `postgres://:${SECRET}@h/d`,
    `postgres://u:${SECRET}@h/d?ssmode=disable`,
    `postgres://u:${SECRET}@h/d?sslmode=prefer`,
    `postgres://u:pass/${SECRET}@h/d`,
    `postgres://u:1/${SECRET}@h/d`,
    `postgres://u:1?${SECRET}@h/d`,
    `postgres://u:1#${SECRET}@h/d`,
    `postgres://u:%zz${SECRET}@h/d`,
  ])('is refused, and nothing of it repeated: %s', (text) => {
    const refusal = (): unknown => {
      try {
        return readAddress(text)
      } catch (error) {
        return error
      }
    }
    expect(refusal()).toMatchObject({ code: 'bad-database-url', cause: undefined })
    expect(String((refusal() as Error).stack)).not.toContain(SECRET)
    expect(shownUrl(text)).not.toContain(SECRET)
  })
})

it('is shown without its password', () => {
  expect(shownUrl(`postgres://u:${SECRET}@h:6000/d?sslmode=require`)).toBe('postgres://u@h:6000/d')
})
