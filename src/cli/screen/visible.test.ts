import { expect, it } from 'vitest'
import { visible, visibleLine } from './visible.ts'

it('what a terminal would hide or act on is spelled out', () => {
  expect(visible('a\u001b[2J\u202eb\u200bc')).toBe('a\\u{1b}[2J\\u{202e}b\\u{200b}c')
  expect(visibleLine('one\n two')).toBe('one ⏎ two')
})

it('a joiner stays between emoji, and is spelled out anywhere else', () => {
  for (const emoji of ['👩‍👩‍👧', '👩🏽‍🚀', '❤️‍🔥', '🏳️‍🌈']) expect(visible(emoji)).toBe(emoji)
  expect(visible('rm\u200d x')).toBe('rm\\u{200d} x')
  expect(visible('👩\u200dx\u200d👩')).toBe('👩\\u{200d}x\\u{200d}👩')
})
