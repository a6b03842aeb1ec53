import { describe, expect, it } from 'vitest'
import type { Task } from '../../api/index.ts'
import { endLines, nextLine } from './end-lines.ts'
import { exitCodeOfTask } from './task-exit.ts'

const NOW = new Date(2026, 10, 16, 12, 0).getTime()
const ID = '019a8000-0000-7000-8000-00005f3a91c2'

function ended(status: Task['status'], change: Partial<Task> = {}) {
  const none = { codexHome: null, waitingFor: null, failure: null, limitedUntil: null }
  const task = { id: ID, status, reason: 'the reason', ...none, ...change }
  return [...endLines(task, NOW).map(({ text }) => text), nextLine(task)]
}

function failure(code: string): Task['failure'] {
  const rest = { retryable: true, resumable: true, resetAt: null, stderrTail: [], info: null }
  return { code, message: 'the message', hint: 'what to do', ...rest }
}

describe('what is said last of a task', () => {
  it('that had no login is how to get one, in the home it needs it', () => {
    const lines = (codexHome: string | null) =>
      ended('failed', { failure: failure('not-logged-in'), codexHome })
    expect(lines(null)[1]).toBe('→ Run `drawbridge login`, or try `drawbridge demo`, which needs no account.')
    expect(lines('/srv/my home')[1]).toContain("`drawbridge login --codex-home '/srv/my home'`")
  })

  it('that is limited is until when, and that nothing has to be done', () => {
    const change = { failure: failure('usage-limit'), limitedUntil: NOW + 3_600_000 }
    expect(ended('limited', change)).toEqual([
      'limited until 13:00 (in 1h), when it resumes by itself: the message',
      'task 5f3a91c2: limited · sooner: drawbridge task resume 5f3a91c2',
    ])
  })

  it('that is lost, or was interrupted or too slow, is how it goes on', () => {
    for (const status of ['lost', 'interrupted', 'timed-out'] as const)
      expect(ended(status)).toEqual([
        `${status}: the reason`,
        `task 5f3a91c2: ${status} · go on: drawbridge task resume 5f3a91c2`,
      ])
  })

  it('that has failed is what to do about it', () => {
    expect(ended('failed', { failure: failure('auth') })).toEqual([
      'failed: the message [auth]',
      '→ what to do',
      'task 5f3a91c2: failed · go on: drawbridge task resume 5f3a91c2',
    ])
  })

  it('that is done is how to say more', () => {
    expect(ended('idle')).toEqual(['task 5f3a91c2: idle · more: drawbridge task send 5f3a91c2 "…"'])
  })

  it('that is not watched any longer is how to follow it', () => {
    expect(ended('working')).toEqual([
      'It goes on without us: working',
      'task 5f3a91c2: working · follow it: drawbridge task logs -f 5f3a91c2',
    ])
    expect(ended('waiting')[1]).toBe('task 5f3a91c2: waiting · answer: drawbridge approvals --task 5f3a91c2')
  })

  it('that waits for its worker is where to look for that', () => {
    const task = { status: 'waiting', waitingFor: 'worker' } as const
    expect(ended('waiting', task)[1]).toBe(
      'task 5f3a91c2: waits for its worker · is it up? drawbridge workers',
    )
    expect(exitCodeOfTask({ ...task, failure: null })).toBe(124)
    expect(exitCodeOfTask({ ...task, waitingFor: 'approval', failure: null })).toBe(3)
  })
})
