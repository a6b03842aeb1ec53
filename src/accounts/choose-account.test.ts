import { expect, it } from 'vitest'
import { type Account, cappedUntil, reservedUntil } from './account.ts'
import { isRefusedForGood } from './check-login.ts'
import { chooseAccount } from './choose-account.ts'
import { choices, poolsOf } from './pool.ts'
import { mergedWindows, updatedWindows } from './read-facts.ts'

const NOW = 1_000_000
const USE = { now: NOW, model: null }
const CHOOSING = { ...USE, holder: 'me', timeText: (at: number) => `at ${at}` }

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
  windows: [{ name: 'weekly', model: null, usedPercent: percent, windowMins: 10_080, resetsAt, at: NOW }],
})
const chosen = (...candidates: Account[]) => chooseAccount([candidates], 'pool:team', CHOOSING).name

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
  expect(cappedUntil(account('a', { facts }), USE)).toBe(NOW + 900)
})

it('leaves API keys out of a pool that has plans, unless the pool may pay otherwise; then plans come first', () => {
  const members = [
    account('plan'),
    account('key', { kind: 'apikey' }),
    account('token', { kind: 'access-token' }),
  ]
  const namesOf = (billing: 'same' | 'any', of = members) =>
    choices(of, { onLimit: null, billing }).map((group) => group.map(({ name }) => name))
  expect(namesOf('same')).toEqual([['plan', 'token']])
  expect(namesOf('any')).toEqual([['plan', 'token'], ['key']])
  expect(namesOf('same', [members[1]!])).toEqual([['key']])
  const groups = choices([account('plan', { facts: used(100) }), members[1]!], {
    onLimit: null,
    billing: 'any',
  })
  expect(chooseAccount(groups, 'pool:team', CHOOSING).name).toBe('key')
  expect(poolsOf(members, [])).toMatchObject([
    { name: 'team', accounts: ['plan', 'key', 'token'], leftOut: ['key'], billing: 'same', onLimit: null },
  ])
})

it('takes a limit of one model for none of the others', () => {
  const [full] = used(100)!.windows
  const facts = { ...used(10)!, windows: [{ ...full!, model: 'GPT small' }] }
  const capped = (model: string | null) => cappedUntil(account('a', { facts }), { now: NOW, model })
  expect(capped('gpt-small')).toBe(NOW + 500)
  expect([capped('gpt-large'), capped(null)]).toEqual([null, null])
})

it('keeps a reserve only where there is one', () => {
  expect(reservedUntil(account('a', { facts: used(100) }), USE)).toBeNull()
  expect(reservedUntil(account('a', { facts: used(80), reservePercent: 20 }), USE)).toBe(NOW + 500)
  expect(reservedUntil(account('a', { facts: used(79), reservePercent: 20 }), USE)).toBeNull()
  expect(reservedUntil(account('a', { facts: used(99, NOW - 1), reservePercent: 20 }), USE)).toBeNull()
})

it('merges what turns tell of windows into what is known', () => {
  const told = (limitId: string | null, usedPercent: number, more: object = {}) =>
    updatedWindows(
      {
        ...{ limitId, limitName: null, primary: { usedPercent, windowDurationMins: 300, resetsAt: 9_000 } },
        ...{ secondary: null, ...more },
      } as never,
      NOW,
    )
  const [plan] = told('codex', 42)
  const window = { model: null, windowMins: 300, resetsAt: 9_000_000, at: NOW }
  expect(plan).toEqual({ name: '5-hour', usedPercent: 42, ...window })
  expect(told(null, 1)[0]?.name).toBe('5-hour')
  const [ofModel] = told('x', 7, { limitName: 'GPT small' })
  expect(ofModel).toMatchObject({ name: 'GPT small 5-hour', model: 'GPT small' })
  const [bySlug] = told('x', 7, { limitName: 'GPT small', normalModelSlug: 'gpt-small' })
  expect(bySlug).toMatchObject({ name: 'GPT small 5-hour', model: 'gpt-small' })
  const weekly = used(5)!.windows
  expect(mergedWindows([...weekly, { ...plan!, usedPercent: 10, at: 1 }], [plan!])).toEqual([...weekly, plan])
  // A reset that is left out is the one that is known.
  const [later] = told('codex', 50, { primary: { usedPercent: 50, windowDurationMins: 300, resetsAt: null } })
  expect(mergedWindows([plan!], [later!])[0]).toMatchObject({ usedPercent: 50, resetsAt: 9_000_000 })
  for (const odd of [null, undefined, 'text', {}, { primary: { usedPercent: 'x' } }])
    expect(updatedWindows(odd as never, NOW)).toEqual([])
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
