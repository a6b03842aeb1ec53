import { describe, expect, it } from 'vitest'
import { onScreen, plainText, printable } from './screen-text.ts'
import { visible, visibleLine } from './visible-text.ts'

const HIDDEN = [
  ...'\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff\u2028\u2029\u180e',
  '\u{e0041}',
  '\u3164',
]

describe('one table for terminal and notices', () => {
  it.each(HIDDEN.map((hidden) => [hidden.codePointAt(0)!.toString(16), hidden]))('U+%s', (number, hidden) => {
    expect(visible(`a${hidden}b`)).toBe(`a\\u{${number}}b`)
    expect(onScreen(`a${hidden}b`)).toBe(`a\\u{${number}}b`)
    expect(plainText(`a${hidden}b`)).toBe('ab')
  })

  it.each([
    ['a colour', '\u001b[31mred\u001b[0m', 'red'],
    ['a window title', 'x\u001b]0;owned\u0007y', 'xy'],
    ['a link', '\u001b]8;;http://evil/\u001b\\go\u001b]8;;\u001b\\', 'go'],
    ['eight-bit', 'x\u009b2Jy\u009d0;t\u009cz', 'xyz'],
    ['an open one', 'x\u001b]0;never closed', 'x'],
    ['controls', 'a\u0007\u0000\u007fb', 'ab'],
  ])('an escape sequence goes whole: %s', (_, text, left) => {
    expect([plainText(text), printable(text), onScreen(text)]).toEqual([left, left, left])
  })

  it('tabs and line feeds stay; a carriage return cannot overwrite a line', () => {
    expect(plainText('a\r\n\tb\rc')).toBe('a\n\tb\nc')
    expect(printable('a\r\n\tb\rc')).toBe('a\n\tbc')
    expect(visibleLine('one\n two')).toBe('one ⏎ two')
  })

  it('joined letters and emoji stay what they are', () => {
    for (const emoji of ['👩‍👩‍👧', '👩🏽‍🚀', '❤️‍🔥', '🏳️‍🌈'])
      expect([visible(emoji), plainText(emoji), onScreen(emoji)]).toEqual([emoji, emoji, emoji])
    expect(onScreen('می\u200cخواهم')).toBe('می\u200cخواهم')
    expect(visible('rm\u200d x')).toBe('rm\\u{200d} x')
  })

  it('half a character is none', () => {
    expect(plainText('a\ud800b')).toBe('a\ufffdb')
    expect(visible('a\udc00')).toBe('a\ufffd')
  })
})
