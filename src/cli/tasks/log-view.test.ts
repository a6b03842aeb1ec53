import { expect, it } from 'vitest'
import type { EventEnvelope } from '../../api/index.ts'
import type { Surroundings } from '../process/surroundings.ts'
import { LogView } from './log-view.ts'

const AT = new Date(2026, 10, 16, 9, 5, 7).getTime()
const STAMP = '2026-11-16 09:05:07  '

function event(method: string, params: object, seq = 0): EventEnvelope {
  const at = AT + seq * 1_000
  return { taskId: 't', seq, at, event: { method, params: { threadId: 'thread', ...params } } }
}

function shown(events: readonly EventEnvelope[], { hasTimes = false, isTTY = false } = {}): string {
  let out = ''
  const stdout = { isTTY, write: (text: string) => (out += text) } as unknown as Surroundings['stdout']
  const view = new LogView({ threadId: 'thread' }, { stdout, useColour: false }, { hasTimes })
  for (const one of events) view.event(one)
  return out
}

const delta = (text: string, seq = 0) => event('item/agentMessage/delta', { itemId: 'i', delta: text }, seq)
const started = event('item/started', { item: { type: 'agentMessage', id: 'i', text: '' } })
const completed = (text: string) => event('item/completed', { item: { type: 'agentMessage', id: 'i', text } })

it('each line begins with its time when that is wanted', () => {
  const state = event('drawbridge/task', { status: 'working', reason: 'codex works on it' })
  const log = [state, started, delta('one\ntw'), delta('o\nthree', 1), completed('one\ntwo\nthree')]
  expect(shown(log, { hasTimes: true })).toBe(
    `${STAMP}● working: codex works on it\n${STAMP}one\n${STAMP}two\n2026-11-16 09:05:08  three\n`,
  )
  expect(shown(log)).toBe('● working: codex works on it\none\ntwo\nthree\n')
})

it('a message whose beginning was left out is shown once, whole', () => {
  expect(shown([delta('rest'), completed('all but the rest')])).toBe('all but the rest\n')
})

it('on a terminal what turns the direction of text is spelled out', () => {
  const log = [started, delta('a\u202eb\n')]
  expect(shown(log, { isTTY: true })).toBe('a\\u{202e}b\n')
  expect(shown(log)).toBe('a\u202eb\n')
})
