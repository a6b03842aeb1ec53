import { describe, expect, it } from 'vitest'
import { COMMANDS } from './fixtures/commands.ts'
import { decideAction, decideCommand, resolve, rulesFrom } from './fixtures/workspace.ts'
import { parseRule } from './parse-rule.ts'
import { PRESET_MEANINGS } from './preset-meanings.ts'
import { PRESETS, presetNotes } from './presets.ts'
import { parseRuleText, printRule } from './rule-text.ts'

const LETTERS = { allow: 'A', ask: '?', deny: 'D' }

describe.each(Object.entries(COMMANDS))('%s', (_, rows) => {
  it.each(rows)('%s %j', (answers, command) => {
    const given = (['read-only', 'workspace', 'trusted'] as const).map((name) =>
      decideCommand(PRESETS[name], command, { isEscalated: name === 'trusted' }),
    )
    expect(given.map(({ answer }) => LETTERS[answer]).join('')).toBe(answers)
    expect(given.every(({ why }) => why.length > 0)).toBe(true)
    expect(decideCommand(PRESETS['ask-all'], command).answer).toBe('ask')
    // `trusted` is the only one that says anything about a command outside the sandbox.
    for (const name of ['read-only', 'workspace'] as const)
      expect(decideCommand(PRESETS[name], command, { isEscalated: true }).answer).toBe('ask')
    expect(decideCommand(PRESETS.trusted, command).answer).toBe(given[2]!.answer)
  })
})

function patch(path: string) {
  return { kind: 'file-change', changes: [{ path, change: 'update' }], grantRoot: null, cwd: '/w' } as const
}

function patched(path: string, workspaceRoots: readonly string[]) {
  return decideAction(PRESETS.workspace, patch(path), { workspaceRoots }).answer
}

describe('presets', () => {
  it('say what they allow in at least 400 commands, 100 of them escapes', () => {
    expect(Object.values(COMMANDS).flat().length).toBeGreaterThan(400)
    const escapes = Object.entries(COMMANDS).filter(([family]) => family.startsWith('escapes'))
    expect(escapes.flatMap(([, rows]) => rows).length).toBeGreaterThan(100)
  })

  it('say on which side of the sandbox a command was judged', () => {
    const inside = decideCommand(PRESETS.workspace, 'npm test')
    expect(inside).toMatchObject({ answer: 'allow', sandbox: 'inside' })
    expect(inside.why).toMatch(/allows `npm test` inside the sandbox$/)
    const outside = decideCommand(PRESETS.workspace, 'npm test', { isEscalated: true })
    expect(outside).toMatchObject({
      answer: 'ask',
      sandbox: 'outside',
      why: 'no rule allows `npm test` outside the sandbox',
    })
    expect(decideAction(PRESETS.workspace, { kind: 'host', host: 'x' }).sandbox).toBeNull()
  })

  it('let an explicit rule answer for a command outside the sandbox', () => {
    const rules = [...PRESETS.workspace, ...rulesFrom('allow sandboxed=no exact git status')]
    expect(decideCommand(rules, 'git status', { isEscalated: true }).answer).toBe('allow')
    expect(decideCommand(rules, 'git status -s', { isEscalated: true }).answer).toBe('ask')
  })

  it('guard start-up files, wherever the workspace is', () => {
    const guarded = `.bashrc .profile .zshrc .config/autostart/x.desktop .ssh/authorized_keys .gitconfig .envrc
      .config/systemd/user/x.service .local/bin/git .config/fish/config.fish`
    for (const path of guarded.split(/\s+/)) expect(patched(`/w/${path}`, ['/w'])).toBe('ask')
    expect(patched('/w/src/a.ts', ['/w'])).toBe('allow')
  })

  it('guard everything hidden in a workspace that is a home folder, and say so', () => {
    for (const root of ['/home/me', '/home', '/home/me/.config']) {
      expect(patched('/home/me/.config/app/settings.json', [root])).toBe('ask')
      expect(presetNotes('workspace', { workspaceRoots: [root], resolve })).toEqual([
        expect.stringContaining('home folder (/home/me)'),
      ])
    }
    expect(patched('/home/me/.newrc', ['/home/me'])).toBe('ask')
    expect(patched('/home/me/bin/ls', ['/home/me'])).toBe('ask')
    expect(patched('/home/me/notes.md', ['/home/me'])).toBe('allow')
    expect(patched('/home/me/project/.eslintrc', ['/home/me/project'])).toBe('allow')
    for (const root of ['/home/me/project', '/w'])
      expect(presetNotes('workspace', { workspaceRoots: [root], resolve })).toEqual([])
    const { why } = decideAction(PRESETS.workspace, patch('/home/me/.newrc'), {
      workspaceRoots: ['/home/me'],
    })
    expect(why).toMatch(/the workspace is a home folder/)
  })

  it('name what trusted gives away', () => {
    const [note] = presetNotes('trusted', { workspaceRoots: ['/w'], resolve })
    for (const text of [note, PRESET_MEANINGS.trusted])
      expect(text).toMatch(/outside the sandbox.*files and logins.*network/s)
    expect(presetNotes('ask-all', { workspaceRoots: ['/home/me'], resolve })).toEqual([])
  })

  it('answer patches by where they really go', () => {
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
