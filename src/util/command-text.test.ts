import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { commandText, quotedWords } from './command-text.ts'

/** As codex's `shlex` joins argv: each stretch of a word in the quotes that can hold it. */
function codexQuoted(word: string): string {
  if (word === '') return "''"
  if (/^[\w./+\-:@,=%^]+$/.test(word) && !word.startsWith('^')) return word
  const pieces = word.match(/[^']+|'+[^'$`\\!^]*/g) ?? []
  return pieces
    .map((piece) => (piece.startsWith("'") ? `"${piece.replaceAll('"', '\\"')}"` : `'${piece}'`))
    .join('')
}
const posixQuoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`
const escaped = (word: string) => `"${word.replaceAll(/[$`"\\]/g, '\\$&')}"`

/** The words of each line, as the real bash reads them. */
function readByBash(lines: readonly string[]): string[][] {
  const script = lines.map((line) => `set -- ${line}\nprintf '%s\\0' "$#" "$@"`).join('\n')
  const told = execFileSync('/bin/bash', ['--norc', '-s'], { input: script, maxBuffer: 2 ** 26 })
  const parts = told.toString('utf8').split('\0')
  return lines.map(() => {
    const count = Number(parts.shift())
    return parts.splice(0, count)
  })
}

const script = fc
  .array(
    fc.constantFrom(
      ...[`'`, `"`, '$', '`', '\\', ' ', '\n', '\t', '$2', "awk '{print $2}'", '!', '^', '#', '~', '*', '?'],
      ...[
        '{',
        '}',
        '(',
        ')',
        '|',
        '&',
        ';',
        '<',
        '>',
        '[',
        ']',
        '%',
        '=',
        'ls',
        '-la',
        'ü',
        '👩‍👧',
        '\\n',
        "'\\''",
      ],
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((pieces) => pieces.join(''))
  .filter((text) => text.trim() !== '')

describe('a command as a person would type it', () => {
  it('is what the shell would run, however it was quoted', () => {
    const scripts = fc.sample(script, { numRuns: 400, seed: 20261116 })
    for (const quoted of [codexQuoted, posixQuoted, escaped]) {
      const told = scripts.map((text) => `/bin/bash -lc ${quoted(text)}`)
      const run = readByBash(told).map((words) => words[2])
      expect(run).toEqual(scripts)
      expect(told.map(commandText)).toEqual(run)
      expect(told.map(quotedWords)).toEqual(scripts.map((text) => ['/bin/bash', '-lc', text]))
    }
  })

  it.each([
    ["/bin/bash -lc 'npm test'", 'npm test'],
    [`/bin/bash -lc "awk '{print "'$2}'"'"`, "awk '{print $2}'"],
    ["/bin/bash -c 'echo '\\''hi'\\'''", "echo 'hi'"],
    ['bash -lc "echo \\"hi\\""', 'echo "hi"'],
    ['/usr/bin/zsh -lc ls', 'ls'],
    ['git push', 'git push'],
  ])('%s', (command, expected) => {
    expect(commandText(command)).toBe(expected)
  })

  it.each([
    ['a shell that is not the one of the machine', "/tmp/x/bash -lc 'ls'"],
    ['a shell of the folder', "./bash -lc 'ls'"],
    ['further words, which the script can use', "/bin/bash -lc 'echo $1' x y"],
    ['another option', "/bin/bash -xc 'ls'"],
    ['a script that is empty', "/bin/bash -lc ' '"],
    ['a quote that does not end', "/bin/bash -lc 'ls"],
    ['more than quotes', '/bin/bash -lc $(cat x)'],
    ['two commands', "/bin/bash -lc 'ls'; rm x"],
    ['a comment', "/bin/bash -lc 'ls' #"],
  ])('is shown whole with %s', (_, command) => {
    expect(commandText(command)).toBe(command)
  })

  it('is read in linear time', () => {
    const long = `/bin/bash -lc '${'a '.repeat(500_000)}'`
    expect(commandText(long)).toHaveLength(1_000_000)
    expect(commandText(`/bin/bash -lc "${'\\\\'.repeat(100_000)}`)).toContain('/bin/bash')
  })
})
