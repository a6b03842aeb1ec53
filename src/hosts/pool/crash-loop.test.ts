import { expect, it } from 'vitest'
import { AppServerCrashLoopError, CrashLoop } from './crash-loop.ts'

const reasonOf = (refuse: () => void): AppServerCrashLoopError | null => {
  try {
    refuse()
    return null
  } catch (error) {
    return error as AppServerCrashLoopError
  }
}

it('refuses after so many ends in that time, says why and until when, and lets one more try pass then', () => {
  const loop = new CrashLoop({ count: 3, withinMs: 1_000 })
  for (const at of [0, 100]) loop.note('a', { at, reason: 'early' })
  expect(reasonOf(() => loop.refuse('a', 150))).toBeNull()
  loop.note('a', { at: 200, reason: 'codex exited with code 1' })
  const refused = reasonOf(() => loop.refuse('a', 999))
  expect(refused).toBeInstanceOf(AppServerCrashLoopError)
  expect(refused).toMatchObject({
    code: 'app-server-crash-loop',
    retryable: true,
    retryAt: 1_000,
    message: expect.stringContaining('codex exited with code 1'),
  })
  expect(reasonOf(() => loop.refuse('b', 999))).toBeNull()
  expect(reasonOf(() => loop.refuse('a', 1_000))).toBeNull()
  loop.note('a', { at: 1_050, reason: 'again' })
  expect(reasonOf(() => loop.refuse('a', 1_060))).toMatchObject({ retryAt: 1_100, lastReason: 'again' })
})
