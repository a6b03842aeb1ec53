import { expect, it } from 'vitest'
import { promptLines } from './prompt-lines.ts'

it('shows the beginning of a prompt, and says what is missing', () => {
  const prompt = Array.from({ length: 13 }, (_, index) => `line ${index + 1}`).join('\n')
  const lines = promptLines({ prompt, title: 'line 1' })
  expect(lines).toHaveLength(11)
  expect([lines[0], lines[9], lines[10]]).toEqual([
    '  line 1',
    '  line 10',
    '  … 3 more lines: --json has all',
  ])
  expect(promptLines({ prompt: 'x'.repeat(500), title: 'x' })).toEqual([`  ${'x'.repeat(399)}…`])
})

it('shows what a terminal would act on, and nothing twice', () => {
  expect(promptLines({ prompt: 'a\u202eb\n', title: 'another' })).toEqual(['  a\\u{202e}b'])
  expect(promptLines({ prompt: 'Tidy up\n', title: 'Tidy up' })).toEqual([])
})
