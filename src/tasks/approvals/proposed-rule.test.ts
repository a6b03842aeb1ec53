import { describe, expect, it } from 'vitest'
import {
  commandQuestion,
  elicitationQuestion,
  fileChangeQuestion,
  mcpToolQuestion,
  permissionsQuestion,
  userInputQuestion,
} from '../../../test/support/questions.ts'
import { judge, type Question } from '../../codex/index.ts'
import { allows, proposeRule } from './proposed-rule.ts'

const paths = { resolve: (place: string) => place, missing: [], hasGaps: false }
const judging = { workspaceRoots: ['/repo'], now: 1_000, paths }

function proposed(question: Question): string | null {
  return proposeRule(question, judge(question, { ...judging, rules: [] }), judging)
}

const networkQuestion = (host: string) =>
  commandQuestion({ network: { host, protocol: 'https' } as never, params: { command: null } })
const add = (path: string) => ({ path, kind: { type: 'add' as const }, diff: '' })

describe('the rule that always would make', () => {
  it.each<[string, Question, string | null]>([
    [
      'a command, there and word for word',
      commandQuestion(),
      'allow cwd=/repo sandboxed=no exact touch made',
    ],
    [
      'a folder with a space',
      commandQuestion({ cwd: '/my work' }),
      "allow cwd='/my work' sandboxed=no exact touch made",
    ],
    ['one file', fileChangeQuestion(), 'allow path /srv/a.txt'],
    ['a tool', mcpToolQuestion(), 'allow mcp github.get_issue'],
    ['a host', networkQuestion('example.com'), 'allow host example.com'],
    ['two commands: one rule cannot say it', commandQuestion({ command: "/bin/bash -lc 'a && b'" }), null],
    ['a command that cannot be read', commandQuestion({ command: "/bin/bash -lc 'echo $(x)'" }), null],
    ['several files', fileChangeQuestion({ changes: [add('/srv/a'), add('/srv/b')] }), null],
    ['a tool without a name', mcpToolQuestion({ tool: null }), null],
    ['permissions', permissionsQuestion({ network: { enabled: true } } as never), null],
    ['a form', elicitationQuestion(), null],
    ['a question to the user', userInputQuestion([]), null],
  ])('for %s', (_, question, rule) => {
    expect(proposed(question)).toBe(rule)
  })

  it.each<[string, Question]>([
    ['a folder', commandQuestion({ cwd: '/repo/*' })],
    ['a file', fileChangeQuestion({ changes: [add('/srv/?.txt')] })],
    ['a host', networkQuestion('*')],
    ['a tool', mcpToolQuestion({ tool: '*' })],
  ])('is none for %s whose name reads like a pattern: it would say more', (_, question) => {
    expect(proposed(question)).toBeNull()
  })

  it('lets its own question through, and not another', () => {
    const rule = proposed(commandQuestion())!
    expect(allows(rule, commandQuestion(), judging)).toBe(true)
    expect(allows(rule, commandQuestion({ command: "/bin/bash -lc 'touch made now'" }), judging)).toBe(false)
    expect(allows(rule, commandQuestion({ cwd: '/elsewhere' }), judging)).toBe(false)
    expect(allows(rule, commandQuestion({ cwd: '/repo/below' }), judging)).toBe(false)
    expect(allows(rule.replace('=no', '=yes'), commandQuestion(), judging)).toBe(false)
    expect(allows('deny command touch', commandQuestion(), judging)).toBe(false)
    expect(allows('no rule at all', commandQuestion(), judging)).toBe(false)
  })
})
