import { describe, expect, it } from 'vitest'
import type { UsageDay } from '../../api/index.ts'
import { usageTable, usageText } from './usage-table.ts'

function day(date: string, change: Partial<UsageDay> = {}): UsageDay {
  return {
    ...{ date, from: 0, to: 1, wait: null },
    turns: { started: 0, completed: 0, failed: 0, interrupted: 0 },
    tokens: { input: 0, cachedInput: 0, output: 0, reasoningOutput: 0 },
    questions: { asked: 0, byRule: 0, byPerson: 0, byDefault: 0, withdrawn: 0 },
    ...change,
  }
}

const BUSY = day('2026-11-16', {
  turns: { started: 84, completed: 80, failed: 3, interrupted: 1 },
  tokens: { input: 1_150_000, cachedInput: 805_000, output: 50_000, reasoningOutput: 12_300 },
  questions: { asked: 12, byRule: 7, byPerson: 4, byDefault: 1, withdrawn: 0 },
  wait: { medianMs: 40_000, maxMs: 195_000 },
})

describe('the table of days', () => {
  it('has a row for each with a bar as long as its tokens are many', () => {
    const half = day('2026-11-15', {
      tokens: { input: 600_000, cachedInput: 0, output: 0, reasoningOutput: 0 },
    })
    const little = day('2026-11-14', {
      tokens: { input: 1, cachedInput: 0, output: 0, reasoningOutput: 0 },
    })
    const rows = usageTable([little, half, BUSY]).map((row) => row.map(({ text }) => text))
    expect(rows[3]!.slice(0, -1)).toEqual([
      ...['Mon 2026-11-16', '84', '3', '12', '40s', '1.1M', '805k', '50.0k'],
    ])
    expect(rows.slice(1).map((row) => row.at(-1))).toEqual(['▏', '█'.repeat(12), '█'.repeat(24)])
  })

  it('is quiet about days on which nothing was', () => {
    const [, row] = usageTable([day('2026-11-16')])
    expect(row!.map(({ text }) => text).join(' ')).toBe('Mon 2026-11-16 · · · · · · · ')
  })
})

describe('in words', () => {
  it('it is tokens, turns and how soon people answered', () => {
    const [first, ...rest] = usageText({ timeZone: 'UTC', days: [BUSY, BUSY], total: BUSY })
    expect(first).toBe('In 2 days (UTC): 1.2M tokens, 84 turns, answers after 40s (median)')
    expect(rest).toEqual([
      '  tokens: 1.1M in (70% cached), 50.0k out (12.3k reasoning)',
      '  turns: 80 completed, 3 failed, 1 interrupted',
      '  questions: 12 asked; 7 answered by rules, 4 by people (the slowest after 3m), 1 by nobody in time, 0 withdrawn',
    ])
  })

  it('it says nothing of answers when there were none', () => {
    const none = day('2026-11-16')
    expect(usageText({ timeZone: 'UTC', days: [none], total: none })[0]).toBe(
      'Today (UTC): 0 tokens, 0 turns',
    )
  })
})
