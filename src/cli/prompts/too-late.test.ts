import { expect, it } from 'vitest'
import { tooLateText } from './too-late.ts'

const OPEN = { answer: null, by: null, actor: null, why: null } as const

it('an answer that comes too late is told why the question no longer stands', () => {
  expect(tooLateText({ ...OPEN, status: 'withdrawn', why: 'its turn\nhas ended' })).toBe(
    'too late: it was withdrawn: its turn ⏎ has ended',
  )
  expect(tooLateText({ ...OPEN, status: 'withdrawn' })).toBe('too late: it was withdrawn')
})

it('an answer that comes too late is told who was quicker, with what, and why', () => {
  const answered = { ...OPEN, status: 'answered', by: 'person', actor: 'api:console' } as const
  expect(tooLateText({ ...answered, answer: 'once' })).toBe(
    'too late: it was answered with once by api:console',
  )
  expect(tooLateText({ ...answered, answer: { answers: {} }, why: 'sure' })).toBe(
    'too late: it was answered by api:console: sure',
  )
  expect(tooLateText({ ...OPEN, status: 'answered', by: 'rule', answer: 'deny', why: 'rule x' })).toBe(
    'too late: it was answered with deny by a rule: rule x',
  )
})
