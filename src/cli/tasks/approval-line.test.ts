import { describe, expect, it } from 'vitest'
import type { OwnEvents } from '../../tasks/index.ts'
import { approvalLine } from './approval-line.ts'

const EVENT: OwnEvents['drawbridge/approval'] = {
  approvalId: '019c0000-0000-7000-8000-0000aaaa1111',
  status: 'answered',
  kind: 'command',
  title: 'run touch made',
  by: 'person',
  actor: 'console',
  answer: 'once',
  why: null,
}

const text = (more: Partial<typeof EVENT>) => approvalLine({ ...EVENT, ...more }).text

describe('a line about a question', () => {
  it('tells what was allowed for how long, and by whom', () => {
    expect(text({})).toBe('✓ allowed once: run touch made · by console')
    expect(text({ answer: 'session' })).toContain('✓ allowed for this task: ')
    expect(text({ answer: 'always' })).toContain('✓ allowed for good: ')
    expect(text({ answer: 'deny', why: 'no' })).toBe('✋ declined: run touch made · by console (no)')
    expect(text({ actor: null, by: 'rule', why: 'rule x' })).toContain('· by a rule (rule x)')
  })

  it('does not call it allowed when something was told', () => {
    const asked = { kind: 'user-input', title: 'Which colour?' }
    expect(text({ ...asked, answer: { answers: { colour: ['red'] } } })).toBe(
      '✓ answered: Which colour? · by console',
    )
    expect(text({ kind: 'elicitation', title: 'server: Who?', answer: 'once' })).toContain('✓ answered: ')
  })

  it('names a question that is open, and why one no longer stands', () => {
    expect(text({ status: 'pending', answer: null })).toBe('? run touch made · aaaa1111')
    expect(text({ status: 'withdrawn', why: 'the turn ended' })).toBe(
      '↩ withdrawn: run touch made: the turn ended',
    )
  })
})
