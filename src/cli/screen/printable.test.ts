import { expect, it } from 'vitest'
import { onScreen, printable } from './printable.ts'

it('control characters and escape sequences go, tabs and new lines stay', () => {
  expect(printable('a\u001b]0;pwn\u0007b\u001b[31mred\u001b[0m\u0007\r\n\tc')).toBe('abred\n\tc')
  expect(printable('a\u202eb')).toBe('a\u202eb')
})

it('on a screen what turns the direction of text is spelled out, and joined letters and emoji stay', () => {
  expect(onScreen('a\u202eb\u2066c\u200f\u001b[2J')).toBe('a\\u{202e}b\\u{2066}c\\u{200f}')
  expect(onScreen('👩‍👩‍👧 می\u200cخواهم')).toBe('👩‍👩‍👧 می\u200cخواهم')
})
