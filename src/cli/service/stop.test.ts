import { expect, it } from 'vitest'
import { progress } from './stop.ts'

const status = (byStatus: Record<string, number>) =>
  ({ counts: { byStatus } }) as unknown as Parameters<typeof progress>[0]

it('tells how many turns are waited for, and which of them wait for a person', () => {
  expect(progress(status({ completed: 3, queued: 2 }))).toBe('')
  expect(progress(status({ working: 1 }))).toBe('Waiting for 1 turn to end …')
  expect(progress(status({ working: 1, starting: 1, waiting: 1 }))).toBe(
    'Waiting for 3 turns to end (1 of them for an answer: drawbridge approvals) …',
  )
})
