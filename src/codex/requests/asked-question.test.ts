import { describe, expect, it } from 'vitest'
import {
  commandQuestion,
  elicitationQuestion,
  fileChangeQuestion,
  mcpToolQuestion,
  permissionsQuestion,
  userInputQuestion,
} from '../../../test/support/questions.ts'
import { askedQuestion } from './asked-question.ts'
import type { Question } from './question.ts'

const asked = (question: Question) => askedQuestion(question, { workspaceRoots: ['/repo'], labels: ['ci'] })

describe('a question in the words of the rules', () => {
  it('is a command outside the sandbox, in its folder and workspace', () => {
    expect(asked(commandQuestion({ command: 'ls' }))).toEqual({
      kind: 'command',
      command: 'ls',
      cwd: '/repo',
      isEscalated: true,
      threadId: 'thread-1',
      labels: ['ci'],
      workspaceRoots: ['/repo'],
    })
  })

  it('is a command in its sandbox with what it would be allowed besides', () => {
    const additionalPermissions = { network: { enabled: true }, fileSystem: { write: ['/x'] } }
    expect(asked(commandQuestion({ additionalPermissions }))).toMatchObject({
      isEscalated: false,
      permissions: { readPaths: [], writePaths: ['/x'], network: true, other: [] },
    })
  })

  it.each<[string, object]>([
    ['nothing', {}],
    ['no network', { network: { enabled: false }, fileSystem: null }],
    ['no paths', { network: null, fileSystem: { read: [], write: null, entries: [] } }],
  ])('is a command outside the sandbox when it asks for %s besides', (_, additionalPermissions) => {
    expect(asked(commandQuestion({ additionalPermissions }))).toMatchObject({ isEscalated: true })
  })

  it('is a host, or a command that reaches one', () => {
    const network = { host: 'example.com', protocol: 'https' as const }
    expect(asked(commandQuestion({ network, params: {} }))).toMatchObject({
      kind: 'host',
      host: 'example.com',
    })
    expect(asked(commandQuestion({ network }))).toMatchObject({ kind: 'command', host: 'example.com' })
  })

  it('is nothing a rule knows when it types into a running command, or does not say what it is about', () => {
    expect(asked(commandQuestion({ params: { kind: 'writeStdin', command: 'ls' } }))).toMatchObject({
      kind: 'other',
    })
    expect(asked(fileChangeQuestion({ changes: [] }))).toMatchObject({ kind: 'other' })
    expect(asked(mcpToolQuestion({ tool: null }))).toMatchObject({ kind: 'other' })
    expect(asked(elicitationQuestion({ url: 'https://example.com' }))).toMatchObject({ kind: 'other' })
    expect(asked(commandQuestion({ params: {} }))).toMatchObject({ kind: 'command', command: null })
  })

  it('is every file that would change, also where one is moved to', () => {
    const kind = { type: 'update' as const, move_path: '/elsewhere' }
    const question = fileChangeQuestion({
      changes: [{ path: '/srv/a', kind, diff: '' }],
      grantRoot: '/root',
    })
    expect(asked(question)).toMatchObject({
      kind: 'file-change',
      changes: [
        { path: '/srv/a', change: 'update' },
        { path: '/elsewhere', change: 'add' },
      ],
      grantRoot: '/root',
    })
  })

  it('is permissions, of which nothing is lost', () => {
    const permissions = {
      network: { enabled: true },
      fileSystem: {
        read: ['/r'],
        write: null,
        later: 'x',
        entries: [
          { path: { type: 'path', path: '/r' }, access: 'read' },
          { path: { type: 'path', path: '/w' }, access: 'write' },
          { path: { type: 'special', value: { kind: 'root' } }, access: 'write' },
          { path: { type: 'path', path: '/x' }, access: 'execute' },
        ],
      },
      devices: true,
    }
    const { permissions: read } = asked(permissionsQuestion(permissions as never)) as unknown as {
      permissions: { other: string[] }
    }
    expect(read).toMatchObject({ readPaths: ['/r'], writePaths: ['/w'], network: true })
    expect(read.other).toHaveLength(4)
  })

  it('counts for the thread that a sub-agent works for', () => {
    const parent = { threadId: 'parent', turnId: 'turn' }
    expect(asked(commandQuestion({ parent }))).toMatchObject({ threadId: 'parent' })
  })

  it('is a tool, a form, an answer', () => {
    expect(asked(mcpToolQuestion())).toMatchObject({ kind: 'mcp-tool', server: 'github', tool: 'get_issue' })
    expect(asked(elicitationQuestion())).toMatchObject({ kind: 'elicitation', server: 'server' })
    expect(asked(userInputQuestion([]))).toMatchObject({ kind: 'user-input' })
  })
})
