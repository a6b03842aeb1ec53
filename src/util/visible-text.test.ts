import { expect, it } from 'vitest'
import { visible, visibleCode, visibleParts } from './visible-text.ts'

it.each([
  ['a mark of direction', 'rm \u202etxt.exe', 'rm \\u{202e}txt.exe'],
  ['an isolate', 'a\u2066b\u2069', 'a\\u{2066}b\\u{2069}'],
  ['a zero-width space', 'l\u200bs', 'l\\u{200b}s'],
  ['a return, which overwrites the line', 'evil\rgood', 'evil\\u{d}good'],
  ['an escape', '\u001b[2Kgood', '\\u{1b}[2Kgood'],
  ['a filler that is a letter', 'x\u3164=1', 'x\\u{3164}=1'],
  ['a selector without a picture', 'ls\ufe0f', 'ls\\u{fe0f}'],
  ['a tag', 'ls\u{e0041}', 'ls\\u{e0041}'],
  ['a no-break space', 'rm\u00a0-rf', 'rm\\u{a0}-rf'],
  ['half a character', 'a\ud800b', 'a\ufffdb'],
])('%s is spelled out', (_, text, expected) => {
  expect(visibleCode(text)).toBe(expected)
  expect(
    visibleParts(text)
      .map((part) => part.text)
      .join(''),
  ).toBe(expected)
})

it('what is spelled out can be told from what was written so', () => {
  expect(visibleParts('\\u{202e}\u202e')).toEqual([
    { text: '\\u{202e}', isSpelledOut: false },
    { text: '\\u{202e}', isSpelledOut: true },
  ])
  expect(visibleParts('')).toEqual([{ text: '', isSpelledOut: false }])
})

it('text that people write stays as it is', () => {
  for (const text of ['tab\tand\nline', 'ünïcödé', '日本語', '❤️ 1️⃣ 👩‍👧', 'עברית'])
    expect(visibleCode(text)).toBe(text)
  expect(visible('Pourquoi\u00a0?')).toBe('Pourquoi\u00a0?')
})
