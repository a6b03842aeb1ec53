import { describe, expect, it } from 'vitest'
import type { ToolSource } from '../../api/index.ts'
import { answerText, argumentsIn } from './call-tool.ts'
import { toolTable } from './tool-table.ts'

const source: ToolSource = {
  name: 'weather',
  kind: 'module',
  labels: ['sailing'],
  transport: null,
  tools: [{ name: 'tides', description: 'd' }],
  problem: null,
}

describe('drawbridge tools', () => {
  it('lists what there is and what is wrong', () => {
    const server: ToolSource = {
      ...source,
      name: 'github',
      kind: 'server',
      transport: 'stdio',
      labels: [],
      tools: [],
    }
    const rows = toolTable([source, server, { ...server, problem: 'no key' }])
    expect(rows.slice(1).map((row) => row.map(({ text }) => text))).toEqual([
      ['weather', 'module', 'sailing', 'tides'],
      ['github', 'server (stdio)', '–', 'codex asks the server'],
      ['github', 'server (stdio)', '–', 'cannot be used: no key'],
    ])
  })

  it('takes a JSON object only', () => {
    expect(argumentsIn('{"a":1}')).toEqual({ a: 1 })
    for (const bad of ['', '[]', '7', 'null', '{']) expect(() => argumentsIn(bad)).toThrow('a JSON object')
  })

  it('shows what the model would be told', () => {
    const called = { outcome: 'ok', durationMs: 1, structured: null } as const
    const image = { type: 'image', mimeType: 'image/png', data: 'abcd' } as const
    expect(answerText({ ...called, content: [{ type: 'text', text: 'hi' }, image] })).toBe(
      'hi\n[image image/png, 4 characters]',
    )
    expect(answerText({ ...called, content: [], structured: { n: 1 } })).toBe('{\n  "n": 1\n}')
  })
})
