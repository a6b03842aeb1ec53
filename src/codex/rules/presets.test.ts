import { describe, expect, it } from 'vitest'
import { COMMANDS } from './fixtures/commands.ts'
import { decideAction, decideCommand } from './fixtures/workspace.ts'
import { parseRule } from './parse-rule.ts'
import { PRESETS } from './presets.ts'
import { parseRuleText, printRule } from './rule-text.ts'

const LETTERS = { allow: 'A', ask: '?', deny: 'D' }

describe.each(Object.entries(COMMANDS))('%s', (_, rows) => {
  it.each(rows)('%s %j', (answers, command) => {
    const given = (['read-only', 'workspace', 'trusted'] as const).map((name) =>
      decideCommand(PRESETS[name], command),
    )
    expect(given.map(({ answer }) => LETTERS[answer]).join('')).toBe(answers)
    expect(given.every(({ why }) => why.length > 0)).toBe(true)
    expect(decideCommand(PRESETS['ask-all'], command).answer).toBe('ask')
  })
})

describe('presets', () => {
  it('say what they allow in at least 150 commands', () => {
    expect(Object.values(COMMANDS).flat().length).toBeGreaterThan(150)
  })

  it('build and test only in the sandbox', () => {
    expect(decideCommand(PRESETS.workspace, 'npm test', { isEscalated: true }).answer).toBe('ask')
    expect(decideCommand(PRESETS.workspace, 'ls', { isEscalated: true }).answer).toBe('allow')
  })

  it('do not search from a folder outside the workspace, or an unknown one', () => {
    for (const cwd of ['/home/me', null])
      expect(decideCommand(PRESETS['read-only'], 'rg x', { cwd }).answer).toBe('ask')
    expect(decideCommand(PRESETS['read-only'], 'ls', { cwd: '/home/me' }).answer).toBe('allow')
  })

  it('answer patches by where they really go', () => {
    const patch = (path: string) =>
      ({ kind: 'file-change', changes: [{ path, change: 'update' }], grantRoot: null, cwd: '/w' }) as const
    const answers = (path: string) =>
      (['read-only', 'workspace', 'trusted'] as const).map(
        (name) => decideAction(PRESETS[name], patch(path)).answer,
      )
    expect(answers('/w/src/a.ts')).toEqual(['ask', 'allow', 'allow'])
    expect(answers('src/a.ts')).toEqual(['ask', 'allow', 'allow'])
    expect(answers('/w/../x')).toEqual(['ask', 'ask', 'allow'])
    expect(answers('/w/out/passwd')).toEqual(['ask', 'ask', 'ask'])
    expect(answers('/w/.git/hooks/x')).toEqual(['ask', 'ask', 'ask'])
    expect(answers('/w/loop/x')).toEqual(['ask', 'ask', 'ask'])
    expect(answers('/w2/x')).toEqual(['ask', 'ask', 'allow'])
  })

  it('leave granted folders, the network, forms and questions to a person', () => {
    const permissions = { readPaths: [], writePaths: ['/w/src'], network: false, other: [] }
    for (const rules of Object.values(PRESETS)) {
      // The folder may hold any of the files that are asked for by name.
      expect(decideAction(rules, { kind: 'permissions', permissions, cwd: '/w' }).answer).toBe('ask')
      expect(decideAction(rules, { kind: 'user-input' }).answer).toBe('ask')
      expect(decideAction(rules, { kind: 'elicitation', server: 'x' }).answer).toBe('ask')
      expect(decideAction(rules, { kind: 'other', what: 'stdin' }).answer).toBe('ask')
    }
    const network = {
      kind: 'permissions',
      permissions: { ...permissions, writePaths: [], network: true },
      cwd: '/w',
    } as const
    expect(decideAction(PRESETS.workspace, network).answer).toBe('ask')
    expect(decideAction(PRESETS.trusted, network).answer).toBe('allow')
    const tool = { kind: 'mcp-tool', server: 'github', tool: 'create_issue', isReadOnly: true } as const
    expect(decideAction(PRESETS.workspace, tool).answer).toBe('ask')
    expect(decideAction(PRESETS.trusted, tool).answer).toBe('allow')
  })

  it('are rules like any other: each is valid and reads back from its text', () => {
    for (const rule of Object.values(PRESETS).flat()) {
      expect(parseRule(rule)).toEqual({ rule, problem: null })
      expect(parseRuleText(printRule(rule)).rule).toEqual(rule)
    }
  })
})
