import fc from 'fast-check'
import { expect, it } from 'vitest'
import { numbered, safeName } from './safe-name.ts'

it.each([
  ['report.pdf', 'report.pdf'],
  ['Größe 日本語 🙂.txt', 'Größe 日本語 🙂.txt'],
  ['../../etc/passwd', 'passwd'],
  ['C:\\Users\\me\\a.txt', 'a.txt'],
  ['.bashrc', 'bashrc'],
  ['-rf', 'rf'],
  ['..', 'file'],
  ['', 'file'],
  ['a\0b\nc\u202Etxt.exe', 'abctxt.exe'],
  ['a<b>:"|?*.txt', 'a_b______.txt'],
  ['con.txt', '_con.txt'],
  ['NUL', '_NUL'],
  ['trailing. . ', 'trailing'],
  ['e\u0301.txt', 'é.txt'],
])('%j becomes %j', (given, name) => {
  expect(safeName(given)).toBe(name)
})

it('any name becomes one part of a path that means nothing else, and stays what it is then', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 120 }),
      fc.integer({ min: 1, max: 99 }),
      (given, count) => {
        const name = numbered(safeName(given), count)
        expect(name).toMatch(/^[^./\\\p{C}-][^/\\\p{C}]*$/u)
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(220)
        if (count === 1) expect(safeName(name)).toBe(name)
      },
    ),
    { numRuns: 40 },
  )
})

it('the second of a name is numbered before its ending, and a long one keeps its ending', () => {
  expect([numbered('a.tar.gz', 1), numbered('a.tar.gz', 2), numbered('README', 3)]).toEqual([
    'a.tar.gz',
    'a (2).tar.gz',
    'README (3)',
  ])
  const long = safeName(`${'ü'.repeat(300)}.parquet`)
  expect(long).toMatch(/ü\.parquet$/)
  expect(Buffer.byteLength(long)).toBeLessThanOrEqual(200)
})
