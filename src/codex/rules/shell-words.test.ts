// What this room reads is what a shell reads: compared with the shells of this machine.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { quoteWords } from './shell-quote.ts'
import { shellScript } from './shell-script.ts'

const SHELLS = ['/bin/bash', '/bin/dash', '/bin/zsh'].filter(
  (shell) => spawnSync(shell, ['-c', ':']).status === 0,
)
const PRINT = "printf '%s\\0' "
/** Nothing here is the name of a program, so that a misread text cannot do harm. */
const piece = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom('zq', 'b', ' ', '  ', '\t', '-n', '=', ':', '/', '.', ',', '%', '@', '+', '7'),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "'",
      '"',
      '\\',
      "'a b'",
      '"a  b"',
      "'$x'",
      '"\\$x"',
      '"\\\\"',
      '"a\\b"',
      '\\ ',
      "\\'",
      '\\\n',
    ),
  },
  fc.constantFrom(
    '$',
    '`',
    '*',
    '?',
    '[',
    ']',
    '{',
    '}',
    '~',
    '#',
    '!',
    '^',
    '"x$"',
    '(',
    ')',
    '<',
    '>',
    '&',
    '|',
    '$(',
    '>&',
  ),
  fc.constantFrom(
    `;${PRINT}`,
    `\n${PRINT}`,
    `; \n\n${PRINT}`,
    `&&${PRINT}`,
    '\n',
    ';',
    "'\n'",
    '"é"',
    'é',
    '\u00a0',
    '\r',
  ),
)
const text = fc.array(piece, { maxLength: 10 }).map((pieces) => PRINT + pieces.join(''))

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'rules-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

function printedBy(shell: string, script: string): string[] {
  const { stdout, stderr } = spawnSync(shell, ['-c', script], {
    cwd: folder,
    env: { PATH: '/nowhere' },
    encoding: 'utf8',
    // Given a socket for its input, bash takes itself for a remote shell and reads .bashrc.
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  expect(stderr).toBe('')
  return stdout.split('\0').slice(0, -1)
}

/** What the words say that a shell prints, or null when they say something else than printing. */
function expected(script: string): string[] | null {
  const read = shellScript(script)
  if ('unread' in read) return null
  const isPrinting = read.commands.every(
    ({ words, env, redirections, after }) =>
      words[0] === 'printf' &&
      words[1] === '%s\\0' &&
      env.length + redirections.length === 0 &&
      after !== '|',
  )
  return isPrinting ? read.commands.flatMap(({ words }) => (words.length > 2 ? words.slice(2) : [''])) : null
}

describe.each(SHELLS)('%s', (shell) => {
  it('sees the same words', () => {
    let compared = 0
    fc.assert(
      fc.property(text, (script) => {
        const words = expected(script)
        fc.pre(words !== null)
        compared += 1
        expect(printedBy(shell, script)).toEqual(words)
      }),
      { numRuns: 400, maxSkipsPerRun: 100 },
    )
    expect(compared).toBeGreaterThan(300)
    expect(readdirSync(folder)).toEqual([])
  })

  it('reads back quoted words', () => {
    const word = fc.string({ unit: 'grapheme', maxLength: 8 }).filter((one) => !one.includes('\0'))
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), (words) => {
        expect(printedBy(shell, PRINT + quoteWords(words))).toEqual(words)
      }),
      { numRuns: 100 },
    )
  })
})

describe('shellScript', () => {
  it('reads words back from their quoted form', () => {
    const word = fc.string({ maxLength: 8 })
    fc.assert(
      fc.property(fc.array(word, { maxLength: 4 }), (rest) => {
        const words = ['git', ...rest]
        expect(shellScript(quoteWords(words))).toMatchObject({ commands: [{ words }] })
      }),
    )
  })
})
