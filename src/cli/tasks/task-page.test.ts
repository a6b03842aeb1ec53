import { describe, expect, it } from 'vitest'
import type { EventEnvelope, Task, TaskDetail } from '../../api/index.ts'
import { taskPage } from './task-page.ts'

const NOW = 100_000
const TASK = {
  id: '019a8000-0000-7000-8000-00005f3a91c2',
  title: 'Fix the tests',
  status: 'completed',
  reason: 'the turn is done',
  evidence: {},
  prompt: 'Fix the tests',
  cwd: '/repo',
  policy: { sandbox: 'read-only' },
  effectivePolicy: null,
  preset: 'ask-all',
  rules: [],
  labels: [],
  tools: [],
  notify: [],
  threadId: 'thread-1',
  turnCount: 0,
  createdAt: 40_000,
  startedAt: null,
  limitedUntil: null,
  worker: null,
  on: null,
  onLost: 'wait',
} as unknown as Task

let seq = 0
function event(method: string, params: object): EventEnvelope {
  return {
    taskId: TASK.id,
    seq: ++seq,
    at: NOW - 5_000,
    event: { method, params: { threadId: 'thread-1', ...params } },
  }
}

function page(task: Partial<Task>, events: EventEnvelope[] = []): string[] {
  const detail = { task: { ...TASK, ...task }, approvals: [], messages: [], events } as TaskDetail
  return taskPage(detail, NOW).map((line) => (typeof line === 'string' ? line : line.text))
}

const FACTS = [
  `  id       ${TASK.id}`,
  '  in       /repo',
  '  sandbox  read-only',
  '  approve  ask-all',
  '  thread   thread-1',
  '  created  1m ago',
]

describe('the page of a task', () => {
  it('has its answer once, and its prompt', () => {
    const result = { turnId: 'turn-1', text: 'All is well.', output: null, isCut: false }
    const lines = page({ prompt: 'Fix the tests\nall of them', result }, [
      event('drawbridge/task', { status: 'working', reason: 'codex works on it' }),
      event('item/completed', { item: { type: 'agentMessage', id: 'i', text: 'All is well.' } }),
      event('drawbridge/task', { status: 'completed', reason: 'the turn is done' }),
    ])
    expect(lines).toEqual([
      'Fix the tests',
      'completed: the turn is done',
      ...FACTS,
      '',
      'prompt:',
      '  Fix the tests',
      '  all of them',
      '',
      'lately:',
      '   5s ago  ● working: codex works on it',
      '',
      'All is well.',
    ])
  })

  it('says once why it is lost, and what to type', () => {
    const message = 'codex was ended by SIGKILL'
    const reason = `codex died during the turn: ${message}`
    const stderrTail = ['2026-11-16T08:00:00Z  WARN codex_core: slow']
    const failure = {
      code: 'codex-crashed',
      message,
      hint: 'resume the thread: what codex had completed is kept',
    } as Task['failure']
    const lines = page(
      { status: 'lost', reason, failure, evidence: { turnId: 'turn-1', appServer: message, stderrTail } },
      [event('drawbridge/task', { status: 'lost', reason })],
    )
    expect(lines).toEqual([
      'Fix the tests',
      `lost: ${reason}`,
      '→ drawbridge task resume 5f3a91c2 (what codex had completed is kept)',
      ...FACTS,
      '',
      'what this state rests on:',
      '  turn: turn-1',
    ])
  })

  it('says what failed where the reason does not', () => {
    const failure = { code: 'auth', message: 'who is it?', hint: 'log in again' } as Task['failure']
    expect(page({ status: 'failed', reason: 'the turn failed', failure }).slice(1, 4)).toEqual([
      'failed: the turn failed',
      'who is it?',
      '→ log in again',
    ])
  })

  it('says on which worker it is, and for what it waits', () => {
    const waiting = {
      status: 'waiting',
      waitingFor: 'worker',
      reason: 'build-1 was not heard of for 1 m',
    } as const
    const lines = page({ ...waiting, worker: { id: 'w', name: 'build-1' }, on: 'gpu', onLost: 'fail' })
    expect(lines).toEqual(
      expect.arrayContaining([
        'waiting for worker: build-1 was not heard of for 1 m',
        '  worker   build-1',
        '  on       gpu',
        '  if lost  ends as lost when its worker is lost',
      ]),
    )
  })

  it('spells a title out as lists do', () => {
    expect(page({ title: '\u001b]0;pwn\u0007evil' })[0]).toBe('\\u{1b}]0;pwn\\u{7}evil')
  })
})
