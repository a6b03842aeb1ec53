import { describe, expect, it } from 'vitest'
import { supportOf } from './capabilities.ts'
import { isAtLeast } from './version.ts'

describe('supportOf', () => {
  it.each([
    ['turn/start', '0.125.0', 'stable'],
    ['thread/delete', '0.139.0', 'missing'],
    ['thread/delete', '0.140.0', 'stable'],
    ['thread/rollback', '0.155.1', 'stable'],
    ['thread/rollback', '0.156.0', 'missing'],
    ['thread/goal/set', '0.127.0', 'missing'],
    ['thread/goal/set', '0.130.0', 'experimental'],
    ['thread/goal/set', '0.133.0', 'stable'],
    ['thread/turns/list', '0.128.0', 'stable'],
    ['thread/turns/list', '0.142.5', 'experimental'],
    ['thread/turns/list', '0.166.0', 'stable'],
    ['thread/backgroundTerminals/clean', '0.166.0', 'experimental'],
    ['thread/backgroundTerminals/clean', null, 'unknown'],
    ['thread/backgroundTerminals/clean', '0.170.0', 'unknown'],
    ['constructor', '0.166.0', 'stable'],
  ])('%s in %s is %s', (method, version, expected) => {
    expect(supportOf(method, version)).toBe(expected)
  })
})

describe('isAtLeast', () => {
  it.each([
    ['0.166.0', '0.166.0', true],
    ['0.166.1', '0.166.0', true],
    ['0.99.9', '0.125.0', false],
    ['1.0.0', '0.166.0', true],
    ['0.167.0-alpha.3', '0.166.0', true],
    ['0.166.0-alpha.3', '0.166.0', true],
  ])('%s and %s: %s', (version, minimum, expected) => {
    expect(isAtLeast(version, minimum)).toBe(expected)
  })
})
