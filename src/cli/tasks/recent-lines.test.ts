import { describe, expect, it } from 'vitest'
import type { EventEnvelope } from '../../api/index.ts'
import { recentLines } from './recent-lines.ts'

const NOW = 100_000
let seq = 0
const event = (method: string, params: object): EventEnvelope => ({
  taskId: 'task',
  seq: ++seq,
  at: NOW - 5_000,
  event: { method, params: { threadId: 'thread', ...params } },
})
const lines = (...events: EventEnvelope[]) => recentLines(events, { threadId: 'thread', now: NOW })

describe('the newest events', () => {
  it('are told in short lines, streams left out', () => {
    const command = {
      type: 'commandExecution',
      command: 'ls',
      aggregatedOutput: 'a\nb\nc\n',
      exitCode: 0,
      durationMs: 100,
    }
    expect(
      lines(
        event('drawbridge/task', { status: 'working', reason: 'codex works on it' }),
        event('item/started', { item: command }),
        event('item/completed', { item: command }),
        event('item/agentMessage/delta', { itemId: 'i', delta: 'The ans' }),
        event('item/completed', { item: { type: 'agentMessage', id: 'i', text: 'The answer.\nAnd more.' } }),
      ),
    ).toEqual([
      '   5s ago  ● working: codex works on it',
      '   5s ago  $ ls',
      '   5s ago    c',
      '   5s ago    exit 0 in 0.1 s',
      '   5s ago  The answer.',
    ])
  })

  it('are few, and fit', () => {
    const many = Array.from({ length: 20 }, (_, index) =>
      event('drawbridge/task', { status: 'working', reason: `${index} ${'x'.repeat(400)}` }),
    )
    const shown = lines(...many)
    expect(shown).toHaveLength(8)
    expect(shown[0]).toContain('● working: 12 x')
    expect(shown.every((line) => line.length <= 121)).toBe(true)
  })
})
