import { describe, expect, it } from 'vitest'
import type { Notice } from '../../api/index.ts'
import { noticeTable, whyNotAgain } from './notice-views.ts'

const NOW = new Date(2026, 10, 16, 12, 0).getTime()

function notice(change: Partial<Notice>): Notice {
  return {
    ...{ id: '019a8000-0000-7000-8000-00003f9a2c11', taskId: 'task', cause: 'ended', target: 'team' },
    ...{ status: 'pending', title: 'Done: a task', text: '', attempts: 0, nextAttemptAt: NOW },
    ...{ lastError: null, createdAt: NOW - 60_000, sentAt: null },
    ...change,
  }
}

const row = (change: Partial<Notice>) => noticeTable([notice(change)], NOW)[1]!.map(({ text }) => text)

describe('a notice in a list', () => {
  it('tells when the next try is, and why the last one failed', () => {
    const failed = { attempts: 2, nextAttemptAt: NOW + 120_000, lastError: 'HTTP 503' }
    expect(row(failed)).toEqual([
      ...['3f9a2c11', 'pending', '1m ago', '2', 'in 2m', 'team', 'Done: a task: HTTP 503'],
    ])
    expect(row({})[4]).toBe('now')
  })

  it('that is not sent any more has no next try', () => {
    expect(row({ status: 'dead', nextAttemptAt: null })[4]).toBe('–')
    expect(row({ status: 'no_target', nextAttemptAt: null, target: '' }).slice(4, 6)).toEqual(['–', '–'])
  })
})

describe('a notice is not sent again', () => {
  it('when there is nobody to send it to; what to do is said', () => {
    const why = whyNotAgain(notice({ status: 'no_target', target: '' }), NOW)
    expect(why).toContain('notice 3f9a2c11 has nobody to go to. Name a target as "notify" in settings.json')
    expect(why).toContain('drawbridge task start --notify')
  })

  it('when it was sent', () => {
    const sent = notice({ status: 'sent', sentAt: NOW - 3_600_000 })
    expect(whyNotAgain(sent, NOW)).toBe('notice 3f9a2c11 was sent at 11:00: nothing is sent twice')
    expect(whyNotAgain(notice({ status: 'dead' }), NOW)).toBeNull()
  })
})
