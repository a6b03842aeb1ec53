import { expect, it } from 'vitest'
import { eventLines } from './event-lines.ts'

const event = (method: string, params: unknown) => ({
  taskId: 't',
  seq: 1,
  at: 0,
  method,
  frame: JSON.stringify({ method, params }),
})
const completed = (item: object) => eventLines(event('item/completed', { item }))

it('tells commands by how they ended, with the output of those that failed', () => {
  const command = { type: 'commandExecution', command: "/bin/bash -lc 'npm test'", status: 'completed' }
  expect(completed({ ...command, exitCode: 0, aggregatedOutput: 'fine' })).toEqual(['$ npm test · exit 0'])
  expect(completed({ ...command, exitCode: 1, aggregatedOutput: 'one\ntwo\n' })).toEqual([
    '$ npm test · exit 1',
    '  one two',
  ])
})

it('tells changed files, what codex says, and calls of tools', () => {
  const changes = [{ path: 'a.ts' }, { path: 'b.ts' }]
  expect(completed({ type: 'fileChange', status: 'completed', changes })).toEqual([
    'files completed: a.ts, b.ts',
  ])
  expect(completed({ type: 'agentMessage', text: 'Hello\nthere' })).toEqual(['codex: Hello there'])
  const [call, result] = completed({
    id: 'i',
    type: 'mcpToolCall',
    server: 's',
    tool: 't',
    status: 'completed',
    arguments: { a: 1 },
    result: { content: [] },
  })
  expect(call).toBe('mcp__s__t {"a":1}')
  expect(result).toMatch(/^ {2}→ /)
})

it('bounds every line, and says nothing of deltas and starts', () => {
  expect(completed({ type: 'agentMessage', text: 'x'.repeat(10_000) })[0]!.length).toBeLessThan(500)
  expect(eventLines(event('item/started', { item: { type: 'agentMessage' } }))).toEqual([])
  expect(eventLines(event('item/agentMessage/delta', { delta: 'x' }))).toEqual([])
})

it('names what it cannot read, and never throws', () => {
  for (const item of [
    null,
    7,
    {},
    { type: 'fileChange' },
    { type: 'commandExecution' },
    { type: 'quite-new', a: 1 },
  ])
    expect(Array.isArray(eventLines(event('item/completed', { item })))).toBe(true)
  expect(eventLines({ ...event('item/completed', {}), frame: 'no json' })).toEqual(['item/completed'])
  expect(eventLines(event('drawbridge/approval', null))).toEqual(['drawbridge/approval'])
})
