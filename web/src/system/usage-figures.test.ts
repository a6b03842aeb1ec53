import { describe, expect, it } from 'vitest'
import type { Usage, UsageDay } from '../api/contract.ts'
import { QUESTIONS, TOKENS, TURNS, totalText } from './usage-figures.ts'

const NOTHING: Usage['total'] = {
  turns: { started: 0, completed: 0, failed: 0, interrupted: 0 },
  tokens: { input: 0, cachedInput: 0, output: 0, reasoningOutput: 0 },
  questions: { asked: 0, byRule: 0, byPerson: 0, byDefault: 0, withdrawn: 0 },
  wait: null,
}

const BUSY: Usage['total'] = {
  turns: { started: 84, completed: 80, failed: 3, interrupted: 1 },
  tokens: { input: 1_150_000, cachedInput: 805_000, output: 50_000, reasoningOutput: 12_300 },
  questions: { asked: 12, byRule: 7, byPerson: 4, byDefault: 1, withdrawn: 0 },
  wait: { medianMs: 40_000, maxMs: 195_000 },
}

const usage = (total: Usage['total']): Usage => ({ timeZone: 'UTC', days: [], total })
const day = (figures: Usage['total']): UsageDay => ({ date: '2026-11-16', from: 0, to: 1, ...figures })

describe('in words', () => {
  it('are all days together', () => {
    expect(totalText(usage(BUSY))).toBe('1.2M tokens, 84 turns, answers after 40 s (median)')
    expect(totalText(usage(NOTHING))).toBe('0 tokens, 0 turns')
  })

  it('are turns, tokens and questions, without what there was none of', () => {
    expect(TURNS.words(BUSY)).toBe('84 turns: 80 completed, 3 failed, 1 interrupted')
    expect(TOKENS.words(BUSY)).toBe('1.1M in (70 % cached), 50k out (12.3k reasoning)')
    expect(QUESTIONS.words(BUSY)).toBe(
      '12 questions: 7 answered by rules, 4 by people (after 40 s, slowest 3 min 15 s), 1 by nobody in time',
    )
    expect([TURNS, TOKENS, QUESTIONS].map(({ words }) => words(NOTHING))).toEqual([
      '0 turns',
      '0 in, 0 out',
      '0 questions',
    ])
  })
})

it('the bar of a day is as high as what it is made of', () => {
  const heights = [TURNS, TOKENS, QUESTIONS].map(({ parts }) => parts.map(({ of }) => of(day(BUSY))))
  expect(heights).toEqual([[3, 81], [50_000, 345_000, 805_000], [40]])
  const late = { ...BUSY, turns: { started: 0, completed: 0, failed: 2, interrupted: 0 } }
  expect(TURNS.parts.map(({ of }) => of(day(late)))).toEqual([2, 0])
})

it('the axis of times says what it means', () => {
  expect([0, 30, 90, 120, 1_800, 5_400, 7_200].map(QUESTIONS.text)).toEqual([
    ...['0', '30 s', '1.5 min', '2 min', '30 min', '1.5 h', '2 h'],
  ])
})
