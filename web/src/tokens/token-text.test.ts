import { expect, it } from 'vitest'
import { ceilingText, mayText } from './token-text.ts'

const ceiling = { sandbox: 'read-only', preset: 'ask-all', network: false, folders: null } as const

it('says what a token may do, and how wide its tasks may be', () => {
  const own = { tasks: 'own', may: ['read', 'start'], ceiling } as const
  expect(mayText({ ...own, may: [...own.may] })).toBe('see tasks, start tasks; only its own')
  expect(ceilingText({ ...own, may: [] })).toBe('read-only, ask-all, in any folder')
  const all = {
    tasks: 'all',
    may: ['answer', 'answer-own'],
    ceiling: { ...ceiling, network: true, folders: ['/a', '/b'] },
  } as const
  expect(mayText({ ...all, may: [...all.may], ceiling })).toBe(
    'answer for others, answer for itself; all tasks',
  )
  const wide = { ...all.ceiling, folders: [...all.ceiling.folders] }
  expect(ceilingText({ tasks: 'all', may: [], ceiling: wide })).toBe('read-only, ask-all, network, in /a, /b')
})
