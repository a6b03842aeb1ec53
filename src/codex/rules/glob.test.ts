import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { matchesGlob } from './glob.ts'

describe('a glob', () => {
  it.each([
    ['/etc/**', '/etc', true],
    ['/etc/**', '/etc/a/b', true],
    ['/etc/**', '/etcetera', false],
    ['/etc/*', '/etc', false],
    ['/etc/*', '/etc/a', true],
    ['/etc/*', '/etc/a/b', false],
    ['/a/**/b', '/a/b', true],
    ['/a/**/b', '/a/x/y/b', true],
    ['/a/**/b', '/a/x/y/bc', false],
    ['/a/?.ts', '/a/b.ts', true],
    ['/a/?.ts', '/a/bc.ts', false],
    ['**/.env', '/w/x/.env', true],
    ['**/.env', '/w/x/.env2', false],
    ['/**', '/', true],
    ['@workspace/**', '/w/a', true],
    ['@workspace', '/w', true],
    ['@workspace/**', '/w2/a', false],
    ['@workspace/*.md', '/v*/a.md', true],
    ['@workspace/*.md', '/vx/a.md', false],
    ['@home/.*', '/h/.bashrc', true],
    ['@home/.*/**', '/h/.config/a/b', true],
    ['@home/.*', '/h/a', false],
    ['@home/**', '/w/a', false],
  ])('%s on %s: %s', (glob, path, expected) => {
    expect(matchesGlob(path, glob, { roots: ['/w', '/v*'], homes: ['/h'] })).toBe(expected)
  })

  it('takes no time to speak of on hostile patterns', () => {
    const path = `/${'a'.repeat(5000)}`
    const startedAt = performance.now()
    expect(matchesGlob(path, `/${'*a'.repeat(400)}b`, { roots: [], homes: [] })).toBe(false)
    expect(matchesGlob('/a'.repeat(2000), `${'/**/a'.repeat(300)}/b`, { roots: [], homes: [] })).toBe(false)
    expect(performance.now() - startedAt).toBeLessThan(2000)
  })

  it('without wildcards is the path itself', () => {
    const path = fc
      .array(fc.stringMatching(/^[a-z.]{1,4}$/), { minLength: 1, maxLength: 5 })
      .map((names) => `/${names.join('/')}`)
    fc.assert(
      fc.property(
        path,
        path,
        (one, other) => matchesGlob(one, other, { roots: [], homes: [] }) === (one === other),
      ),
    )
  })
})
