import { expect, it } from 'vitest'
import { inLocalTime, localTime } from './local-time.ts'

it('is a time of day today, and has the date on any other day', () => {
  const now = new Date(2026, 10, 16, 12, 0).getTime()
  expect(localTime(new Date(2026, 10, 16, 9, 5).getTime(), now)).toBe('09:05')
  expect(localTime(new Date(2026, 10, 17, 0, 0).getTime(), now)).toBe('2026-11-17 00:00')
  expect(localTime(new Date(2025, 10, 16, 23, 59).getTime(), now)).toBe('2025-11-16 23:59')
})

it('takes the place of UTC in what the service says', () => {
  const now = new Date(2026, 10, 16, 12, 0).getTime()
  const at = new Date(2026, 10, 17, 9, 5)
  const utc = `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
  expect(inLocalTime(`limit. It resumes by itself at ${utc}`, now)).toBe(
    'limit. It resumes by itself at 2026-11-17 09:05',
  )
  expect(inLocalTime('the turn is done', now)).toBe('the turn is done')
})
