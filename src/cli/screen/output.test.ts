import { describe, expect, it } from 'vitest'
import { type Cell, printLines, printTable, printText } from './output.ts'

function printed(
  print: (place: Parameters<typeof printTable>[0]) => void,
  more: object = {},
  env = {},
): string {
  let out = ''
  const stdout = { write: (text: string) => (out += text), ...more }
  print({ stdout, env } as unknown as Parameters<typeof printTable>[0])
  return out
}

const rows: Cell[][] = [
  [{ text: 'ID' }, { text: 'TITLE' }, { text: 'X' }],
  [{ text: 'a' }, { text: '東京', colour: 'red' }, { text: 'one' }],
  [{ text: 'bcd' }, { text: 'plain' }, { text: 'two' }],
]

describe('a table', () => {
  it('is aligned, wide characters counted as wide', () => {
    expect(printed((place) => printTable(place, rows))).toBe(
      'ID   TITLE  X\na    東京   one\nbcd  plain  two\n',
    )
  })

  it('has colours on a terminal only, and not with NO_COLOR', () => {
    const print = (place: Parameters<typeof printTable>[0]) => printTable(place, rows)
    expect(printed(print, { isTTY: true, columns: 80 })).toContain('\u001b[31m東京\u001b[39m')
    expect(printed(print, { isTTY: true, columns: 80 }, { NO_COLOR: '1' })).not.toContain('\u001b')
  })

  it('ends at the edge of the terminal', () => {
    const long = [[{ text: 'id' }, { text: 'x'.repeat(100) }]]
    expect(printed((place) => printTable(place, long), { isTTY: true, columns: 20 })).toBe(
      `id  ${'x'.repeat(15)}…\n`,
    )
  })
})

describe('a column that yields', () => {
  const labelled = (title: string): Cell[][] => [
    [{ text: 'ID' }, { text: 'LABELS' }, { text: 'TITLE' }],
    [{ text: 'ab' }, { text: 'nightly,documentation' }, { text: title }],
  ]
  const shown = (title: string, columns: number) =>
    printed((place) => printTable(place, labelled(title), { yielding: 1 }), { isTTY: true, columns })

  it('leaves the last one twice its own room', () => {
    expect(shown('Update all of the changelog', 36)).toBe(
      'ID  LABELS      TITLE\nab  nightly,d…  Update all of the c…\n',
    )
  })

  it('is whole where there is room for both, or no edge', () => {
    expect(shown('Tidy up', 36)).toBe(
      'ID  LABELS                 TITLE\nab  nightly,documentation  Tidy up\n',
    )
    expect(printed((place) => printTable(place, labelled('x'.repeat(200)), { yielding: 1 }))).toContain(
      `ab  nightly,documentation  ${'x'.repeat(200)}\n`,
    )
  })
})

it('lines cannot steer the terminal, nor turn their direction', () => {
  expect(printed((place) => printLines(place, ['a\u001b[2Jb\u0007c\u202ed']))).toBe('abc\\u{202e}d\n')
})

it('text is raw in a pipe, and cannot steer a terminal', () => {
  const said = 'a\u001b]0;pwn\u0007b\u202ec'
  expect(printed((place) => printText(place, said))).toBe(`${said}\n`)
  expect(printed((place) => printText(place, said), { isTTY: true })).toBe('ab\\u{202e}c\n')
})
