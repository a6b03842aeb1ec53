import { expect, it } from 'vitest'
import { describeAccount, limitLines } from './account-text.ts'

it('an account is named as far as codex names it', () => {
  const jane = { type: 'chatgpt', email: 'jane@example.com', planType: 'plus', workspaceName: null } as const
  expect(describeAccount(jane)).toBe('with ChatGPT as jane@example.com, plan plus')
  expect(describeAccount({ ...jane, email: null })).toBe('with ChatGPT, plan plus')
  expect(describeAccount(jane, () => 'j***')).toBe('with ChatGPT as j***, plan plus')
  expect(describeAccount({ type: 'apiKey' })).toBe('with an OpenAI API key')
  expect(describeAccount({ type: 'new' } as never)).toBe('(new)')
})

it('limits are told as far as they are known', () => {
  const now = new Date(2026, 10, 16, 12, 0).getTime()
  const primary = { usedPercent: 41.6, windowDurationMins: 300, resetsAt: now / 1_000 + 3_600 }
  const secondary = { usedPercent: 3, windowDurationMins: 10_080, resetsAt: null }
  expect(limitLines({ rateLimits: { rateLimits: { primary, secondary } } }, now)).toEqual([
    '5-hour limit: 42 % used, resets at 13:00',
    '7-day limit: 3 % used',
  ])
  expect(limitLines({ rateLimits: null }, now)).toEqual([])
  expect(limitLines({}, now)).toEqual([])
})
