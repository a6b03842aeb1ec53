import { describe, expect, it } from 'vitest'
import type { Task } from '../../api/index.ts'
import { lastAnswer } from './last-answer.ts'

const result = { turnId: 'first', text: 'yes', output: null, isCut: false }

function of(status: Task['status'], evidence: Task['evidence'] = {}, turnId: string | null = null) {
  return lastAnswer({ status, evidence, turnId, result })?.of
}

describe('the answer that a task has', () => {
  it('is that of the turn that is done', () => {
    expect(of('completed', { turnId: 'first' })).toBe('done')
    expect(of('idle')).toBe('done')
    expect(of('waiting', { approvals: ['a'] })).toBe('done')
    expect(lastAnswer({ status: 'completed', evidence: {}, turnId: null, result: null })).toBeNull()
  })

  it('is that of an earlier one while a later one works, asks, or has failed', () => {
    expect(of('working', { turnId: 'second' }, 'second')).toBe('earlier')
    expect(of('waiting', { approvals: ['a'] }, 'second')).toBe('earlier')
    expect(of('failed', { turnId: 'second' })).toBe('earlier')
    expect(of('queued', { turnId: 'first' })).toBe('earlier')
    expect(of('interrupted')).toBe('earlier')
  })

  it('is that of an earlier one when the last said nothing', () => {
    expect(of('completed', { turnId: 'second' })).toBe('earlier')
  })

  it('is what a turn said before it was interrupted', () => {
    expect(of('interrupted', { turnId: 'first' })).toBe('cut-short')
  })
})
