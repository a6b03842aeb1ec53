import { beforeEach, describe, expect, it } from 'vitest'
import { screenOf } from '../../../test/support/screen.ts'
import { Terminal } from './terminal.ts'

let written: string
let answer: string
let terminal: Terminal
let screen: { columns: number }

/** stdout and stderr on one screen, as on a terminal; or stdout in a file. */
function open({ isPiped = false, columns = 20, rows = 6 } = {}): void {
  written = ''
  answer = ''
  const tty = {
    isTTY: true,
    columns,
    rows,
    write: (text: string) => (written += text.replaceAll('\n', '\r\n')),
  }
  const file = { write: (text: string) => (answer += text) }
  screen = tty
  terminal = new Terminal({ stdout: isPiped ? file : tty, stderr: tty, useColour: false })
}

const shown = () => screenOf(written).split('\n')

describe('a status line', () => {
  beforeEach(() => open())

  it('is gone before anything else is written, and not put into a line of text', () => {
    terminal.status('one')
    terminal.status('two')
    expect(shown()).toEqual(['two'])
    terminal.text('hal')
    terminal.status('three')
    terminal.text('f')
    expect(shown()).toEqual(['half'])
  })
})

describe('text that turns its direction', () => {
  it('is spelled out on a screen, and left as it is in a file', () => {
    open({ columns: 40 })
    terminal.text('a\u202eb\n')
    terminal.line('c\u2066d')
    expect(shown()).toEqual(['a\\u{202e}b', 'c\\u{2066}d', ''])
    open({ isPiped: true })
    terminal.text('a\u202eb\u001b[2J')
    expect(answer).toBe('a\u202eb')
  })
})

describe('a panel', () => {
  beforeEach(() => open())

  it('is erased whole when the screen has become narrower and has wrapped it', () => {
    terminal.panel([{ text: 'fifteen letters' }, { text: 'short' }])
    screen.columns = 8
    const before = written.length
    terminal.panel(null)
    expect(written.slice(before)).toBe('\r\u001b[2A\u001b[J')
  })

  it('stays below lines and text, with the unfinished line on top of it', () => {
    terminal.panel([{ text: 'really?' }, { text: '[y] ' }])
    terminal.line('activity')
    terminal.text('one\ntw')
    expect(shown()).toEqual(['activity', 'one', 'tw', 'really?', '[y] '])
    terminal.text('o\n')
    terminal.status('never seen')
    expect(shown()).toEqual(['activity', 'one', 'two', 'really?', '[y] '])
  })

  it('leaves nothing behind, and text goes on where it stopped', () => {
    terminal.text('a\nhal')
    terminal.panel([{ text: 'really?' }])
    terminal.text('f')
    terminal.panel([{ text: 'a longer one of two rows' }])
    terminal.panel(null)
    terminal.text(' a line')
    expect(shown()).toEqual(['a', 'hal', 'f a line'])
  })

  it('ends an unfinished line when another begins', () => {
    terminal.panel([{ text: 'really?' }])
    terminal.text('half')
    terminal.line('activity')
    expect(shown()).toEqual(['half', 'activity', 'really?'])
  })

  it('takes no more rows than the screen has', () => {
    terminal.line('above')
    const lines = Array.from({ length: 9 }, (_, index) => ({ text: `${index}` }))
    terminal.panel(lines)
    terminal.panel(lines)
    terminal.panel(null)
    expect(shown()).toEqual(['above', ''])
  })

  it('does not break a line of text that goes elsewhere', () => {
    open({ isPiped: true })
    terminal.text('hal')
    terminal.panel([{ text: 'really?' }])
    terminal.text('f\n')
    expect(shown()).toEqual(['really?'])
    expect(answer).toBe('half\n')
  })

  it('cannot be steered by what it shows', () => {
    terminal.panel([{ text: 'a\u001b[2Jb\u0007\r\nc' }])
    expect(shown()).toEqual(['ab', 'c'])
  })
})
