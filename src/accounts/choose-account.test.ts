import { expect, it } from 'vitest'
import { type Account, cappedUntil } from './account.ts'
import { isRefusedForGood } from './check-login.ts'
import { chooseAccount } from './choose-account.ts'

const NOW = 1_000_000
const CHOOSING = { now: NOW, holder: 'me', timeText: (at: number) => `at ${at}` }

function account(name: string, more: Partial<Account> = {}): Account {
  return {
    ...{ id: name, name, kind: 'chatgpt', pools: ['team'], state: 'active', stateReason: null },
    ...{ usedBy: null, usedAt: null, limitedUntil: null, facts: null, reservePercent: 0, onLimit: 'park' },
    createdAt: 0,
    ...more,
  }
}
const used = (percent: number, resetsAt: number | null = NOW + 500): Account['facts'] => ({
  ...{ email: null, plan: null, at: NOW },
  windows: [{ name: 'weekly', usedPercent: percent, windowMins: 10_080, resetsAt }],
})
const chosen = (...candidates: Account[]) => chooseAccount(candidates, 'pool:team', CHOOSING).name

it('goes round by last use, and prefers accounts that no other worker has', () => {
  expect(chosen(account('a', { usedAt: 5 }), account('b', { usedAt: 3 }), account('c', { usedAt: 4 }))).toBe(
    'b',
  )
  expect(chosen(account('a', { usedAt: 5 }), account('b'))).toBe('b')
  const elsewhere = { usedBy: { worker: 'other', until: NOW + 9 } }
  expect(chosen(account('a', { usedAt: 5 }), account('b', elsewhere))).toBe('a')
  expect(chosen(account('a', elsewhere))).toBe('a')
})

it('passes over accounts that are disabled, dead, at their limit, or down to their reserve', () => {
  const others = [
    account('off', { state: 'disabled' }),
    account('dead', { state: 'dead' }),
    account('limited', { limitedUntil: NOW + 1 }),
    account('reserve', { facts: used(81), reservePercent: 20 }),
    account('full', { facts: used(100) }),
  ]
  expect(chosen(...others, account('good', { usedAt: 9 }))).toBe('good')
  expect(chosen(account('over', { facts: used(100, NOW - 1), limitedUntil: NOW - 1 }))).toBe('over')
  expect(() => chosen(...others)).toThrow(/all accounts of pool:team have hit a limit.* until at 1000001/)
  expect(() => chosen(others[0]!)).toThrow(/the account off is disabled/)
  expect(() => chosen(others[0]!, others[1]!)).toThrow(/all 2 are disabled or dead/)
})

it('waits for the window that is full longest', () => {
  const facts = { ...used(100)!, windows: [...used(100)!.windows, ...used(100, NOW + 900)!.windows] }
  expect(cappedUntil(account('a', { facts }), NOW)).toBe(NOW + 900)
})

it('takes only the answers for final that codex knows', () => {
  const failed = (status: string) =>
    `\u001b[31mERROR\u001b[0m codex_login: Failed to refresh token \u001b[3mstatus\u001b[0m=${status}`
  expect(isRefusedForGood([failed('401 Unauthorized')])).toBe(true)
  expect(isRefusedForGood([failed('400 Bad Request')])).toBe(true)
  expect(isRefusedForGood([failed('401 Unauthorized'), 'WARN Encountered unknown response'])).toBe(false)
  for (const status of ['429 Too Many Requests', '503 Service Unavailable', '403 Forbidden'])
    expect(isRefusedForGood([failed(status)])).toBe(false)
  expect(isRefusedForGood([])).toBe(false)
})
