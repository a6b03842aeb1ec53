import { describe, expect, it } from 'vitest'
import { type Failure, type protocol, toFailure } from '../../codex/index.ts'
import { nextStatus, type Settled, settledByDeath, settledByHistory } from './settled.ts'

type Turn = protocol.v2.Turn

const NOW = 1_000_000
const usual = {
  now: NOW,
  keepOpen: false,
  hasOutputSchema: false,
  limitResumes: 0,
  timeoutMs: null,
  interruptedBy: null,
  cancelled: null,
}

function settled(change: Partial<Settled>): Settled {
  return { turnId: 't1', status: 'completed', text: null, failure: null, evidence: {}, ...change }
}

function turn(change: object): Turn {
  return { id: 't1', items: [], status: 'completed', error: null, ...change } as unknown as Turn
}

const limit = (change: Partial<Failure>): Failure => ({
  ...toFailure(new Error('You have hit your limit.')),
  code: 'usage-limit',
  message: 'You have hit your limit.',
  ...change,
})

describe('a turn that has ended', () => {
  it('makes the task completed, or idle when it is kept open, with its answer', () => {
    const done = settled({ text: '{"a":1}' })
    expect(nextStatus(done, usual)).toMatchObject({
      status: 'completed',
      result: { turnId: 't1', text: '{"a":1}', output: null },
    })
    expect(nextStatus(done, { ...usual, keepOpen: true })).toMatchObject({ status: 'idle' })
    expect(nextStatus(done, { ...usual, hasOutputSchema: true }).result!.output).toEqual({ a: 1 })
    expect(nextStatus(settled({ text: 'no json' }), { ...usual, hasOutputSchema: true })).toMatchObject({
      status: 'completed',
      reason: 'the turn is done, but its answer is not the JSON that was asked for',
      evidence: { outputError: expect.stringContaining('JSON') },
      result: { output: null },
    })
    expect(nextStatus(settled({ text: 'null' }), { ...usual, hasOutputSchema: true })).toMatchObject({
      reason: 'the turn is done',
      evidence: {},
    })
    expect(nextStatus(settled({}), usual).result).toBeNull()
  })

  it.each([
    [{ by: 'user' }, 'it was interrupted'],
    [{ by: 'shutdown' }, 'the service was stopped during the turn'],
    [{ by: 'codex' }, 'codex ended the turn before it was done'],
    [{}, 'codex ended the turn before it was done'],
  ])('interrupted by %o says so', (evidence, reason) => {
    expect(nextStatus(settled({ status: 'interrupted', evidence }), usual)).toMatchObject({
      status: 'interrupted',
      reason,
    })
  })

  it('too late says after how long, and one that died says of what', () => {
    const late = settled({ status: 'timed-out', evidence: { timeoutMs: 700 } })
    expect(nextStatus(late, usual)).toMatchObject({
      status: 'timed-out',
      reason: 'the turn took longer than 700 ms',
    })
    const failure = toFailure(new Error('killed by SIGKILL'))
    const dead = settledByDeath('t1', { reason: 'SIGKILL', history: 'read', failure })
    expect(nextStatus(dead, usual)).toMatchObject({
      status: 'lost',
      reason: expect.stringContaining(failure.message),
      evidence: { appServer: 'SIGKILL', history: 'read' },
    })
  })

  it('in failure has the reason and what to do, as two sentences', () => {
    const failure = {
      ...toFailure(new Error('x')),
      code: 'auth',
      message: 'unauthorised',
      hint: 'Log in again.',
    } as Failure
    const next = nextStatus(settled({ status: 'failed', failure }), usual)
    expect(next).toMatchObject({
      status: 'failed',
      reason: 'unauthorised. Log in again.',
      failure,
      limitedUntil: null,
    })
  })
})

describe('a limit', () => {
  const hit = (failure: Failure, limitResumes = 0) =>
    nextStatus(settled({ status: 'failed', failure }), { ...usual, limitResumes })

  it('lasts until codex says, never less than a second, and a while when it does not say', () => {
    const at = (ms: number | null) => hit(limit({ resetAt: ms === null ? null : new Date(ms) })).limitedUntil
    expect([at(NOW + 60_000), at(NOW + 10), at(NOW - 5_000), at(null)]).toEqual([
      NOW + 60_000,
      NOW + 1_000,
      NOW + 1_000,
      NOW + 15 * 60_000,
    ])
    const rate = limit({ code: 'rate-limit', resetAt: null })
    expect(hit(rate)).toMatchObject({ status: 'limited', limitedUntil: NOW + 60_000 })
    expect(hit(rate, 3)).toMatchObject({ status: 'limited', limitedUntil: NOW + 8 * 60_000 })
    expect(hit(limit({ resetAt: new Date(NOW + 60_000) })).reason).toBe(
      'You have hit your limit. It resumes by itself at 1970-01-01 00:17 UTC',
    )
    expect(hit(limit({ resetAt: null })).reason).toBe(
      'You have hit your limit. Codex did not say when it ends: it is tried again at 1970-01-01 00:31 UTC',
    )
  })

  it('that comes back too often in a row is a failure', () => {
    expect(hit(limit({ resetAt: null }), 4).status).toBe('limited')
    expect(hit(limit({ resetAt: null }), 5)).toMatchObject({
      status: 'failed',
      limitedUntil: null,
    })
  })
})

describe('a turn in the history of its thread', () => {
  it('that runs is not settled', () => {
    expect(settledByHistory(turn({ status: 'inProgress' }))).toBeNull()
  })

  it('has the final answer, else the last thing that was said', () => {
    const said = (text: string, phase?: string) => ({ type: 'agentMessage', id: text, text, phase })
    const textOf = (...items: object[]) => settledByHistory(turn({ items }))!.text
    expect(textOf(said('a'), said('b', 'final_answer'), said('c', 'commentary'))).toBe('b')
    expect(textOf(said('a'), said('b'))).toBe('b')
    expect(textOf({ type: 'userMessage', content: [] })).toBeNull()
    expect(settledByHistory(turn({ items: undefined }))!.text).toBeNull()
  })

  it('that failed has codex’s error, or says that there was none', () => {
    const failed = settledByHistory(
      turn({ status: 'failed', error: { message: 'boom', codexErrorInfo: null } }),
    )!
    expect(failed.failure!.message).toContain('boom')
    expect(settledByHistory(turn({ status: 'failed' }))!.failure!.message).toContain('codex gave no reason')
    expect(settledByHistory(turn({ status: 'interrupted' }))).toMatchObject({
      status: 'interrupted',
      failure: null,
    })
  })
})
