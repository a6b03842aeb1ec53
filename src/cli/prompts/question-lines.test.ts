import { describe, expect, it } from 'vitest'
import {
  commandQuestion,
  elicitationQuestion,
  fileChangeQuestion,
  mcpToolQuestion,
  permissionsQuestion,
} from '../../../test/support/questions.ts'
import type { Question } from '../../codex/index.ts'
import { questionLines } from './question-lines.ts'

function text(question: Question): string {
  const { head, body } = questionLines(question)
  return [...head, ...body].map((line) => line.text).join('\n')
}

describe('questionLines', () => {
  it('shows a command as it is typed, who asks, why and where', () => {
    const parent = { threadId: 'ours', turnId: 'turn' }
    expect(text(commandQuestion({ parent, reason: 'to see' }))).toBe(
      [
        '? Codex asks to run a command',
        '  for: a sub-agent (thread thread-1)',
        '  why: to see',
        '  in: /repo',
        '  $ touch made',
      ].join('\n'),
    )
  })

  it('shows every line of a command', () => {
    expect(text(commandQuestion({ command: 'one\ntwo\n' }))).toMatch(/ {2}\$ one\n {4}two$/)
  })

  it('shows what a command would be allowed beyond its sandbox, and the host it wants', () => {
    const additionalPermissions = { network: { enabled: true } }
    expect(text(commandQuestion({ additionalPermissions }))).toContain('"enabled": true')
    const network = { host: 'example.com', protocol: 'https' as const }
    const title = 'reach example.com over https'
    expect(text(commandQuestion({ command: '', network, title }))).toBe(
      '? Codex asks to reach example.com over https\n  in: /repo',
    )
  })

  it('shows a change as a diff with its signs in colour', () => {
    const { body } = questionLines(
      fileChangeQuestion({
        changes: [
          { path: '/srv/a', kind: { type: 'add' }, diff: 'one\n' },
          { path: '/srv/b', kind: { type: 'delete' }, diff: 'two\n' },
          { path: '/srv/c', kind: { type: 'update', move_path: '/d' }, diff: '@@ -1 +1 @@\n-x\n+y\n z\n' },
        ],
      }),
    )
    expect(body.map(({ text: line, style }) => [line, style])).toEqual([
      ['  add /srv/a', 'bold'],
      ['  +one', 'green'],
      ['  delete /srv/b', 'bold'],
      ['  -two', 'red'],
      ['  update /srv/c → /d', 'bold'],
      ['  @@ -1 +1 @@', 'cyan'],
      ['  -x', 'red'],
      ['  +y', 'green'],
      ['   z', 'dim'],
    ])
  })

  it('shows permissions by what they open', () => {
    const entries = [
      { path: { type: 'special', value: { kind: 'root' } }, access: 'read' },
      { path: { type: 'path', path: '/x' }, access: 'write' },
    ] as const
    const fileSystem = { read: null, write: null, entries: [...entries] }
    expect(text(permissionsQuestion({ network: { enabled: true }, fileSystem }))).toContain(
      '  the network, all of it\n  read everything on this machine\n  write /x',
    )
    const old = { read: ['/r'], write: ['/w'] }
    expect(text(permissionsQuestion({ network: null, fileSystem: old }))).toContain('  read /r\n  write /w')
  })

  it('shows what a tool is called with', () => {
    expect(text(mcpToolQuestion({ description: 'reads one' }))).toContain(
      '  reads one\n  with {\n    "number": 1',
    )
  })

  it('shows the address of a page', () => {
    expect(text(elicitationQuestion({ url: 'https://example.com' }))).toBe(
      '? The MCP server server asks: Who?\n  https://example.com',
    )
  })

  it('lets nothing hide, and nothing look like more of the question', () => {
    const shown = text(commandQuestion({ command: 'a\u001b]0;b\u0007\u202e', reason: 'x\n? Codex asks' }))
    expect(shown).toContain('$ a\\u{1b}]0;b\\u{7}\\u{202e}')
    expect(shown).toContain('  why: x ⏎ ? Codex asks\n')
  })
})
