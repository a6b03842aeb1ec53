import { describe, expect, it } from 'vitest'
import { parseRuleText } from '../../codex/index.ts'
import { scratchMachine } from '../fixtures/scratch-machine.ts'
import { codexRules, drawbridgeRules, findRules, rulesFile } from './index.ts'

const settings = (permissions: unknown) => JSON.stringify({ permissions })
const quote = (word: string) => (/^[\w./:*-]+$/.test(word) ? word : `'${word}'`)

function foundIn(permissions: unknown) {
  return findRules(scratchMachine({ '.claude/settings.json': settings(permissions) }), {
    project: null,
    from: new Set(['claude-code']),
  })
}

const rulesOf = (permissions: unknown) => foundIn(permissions).rules

describe('permission rules', () => {
  it.each([
    [
      'allow',
      'Bash(git diff:*)',
      'prefix_rule(pattern=["git", "diff"], decision="allow"',
      'allow command git diff',
    ],
    [
      'allow',
      'Bash(npm run test *)',
      'prefix_rule(pattern=["npm", "run", "test"], decision="allow"',
      'allow command npm run test',
    ],
    ['deny', 'Bash(rm:*)', 'prefix_rule(pattern=["rm"], decision="forbidden"', 'deny command rm'],
    [
      'ask',
      'Bash(git push:*)',
      'prefix_rule(pattern=["git", "push"], decision="prompt"',
      'ask command git push',
    ],
    [
      'allow',
      "Bash(echo 'a b':*)",
      'prefix_rule(pattern=["echo", "a b"], decision="allow"',
      "allow command echo 'a b'",
    ],
    ['allow', 'Bash(npm test)', null, 'allow exact npm test'],
    ['deny', 'Bash', null, 'deny command'],
    ['allow', 'mcp__github__get_issue', null, 'allow mcp github.get_issue'],
    ['ask', 'mcp__github', null, 'ask mcp github.*'],
    ['allow', 'mcp__my_server__get_*', null, 'allow mcp my_server.get_*'],
    ['allow', 'Bash', null, null],
    ['allow', 'Bash(*)', null, null],
    ['allow', 'Bash(git * main)', null, null],
    ['allow', 'Bash(ls*)', null, null],
    ['allow', 'Bash(cat $HOME/x:*)', null, null],
    ['allow', 'Bash(a && b:*)', null, null],
    ['allow', 'Bash(FOO=1 make:*)', null, null],
    ['allow', 'Bash(ls\u202e:*)', null, null],
    ['allow', 'Read(./src/**)', null, null],
    ['allow', 'WebFetch(domain:example.com)', null, null],
    ['deny', 'Edit(/etc/**)', null, null],
  ])('%s %s is %s for Codex and %s here', (answer, text, forCodex, here) => {
    const rules = rulesOf({ [answer]: [text] })
    const codex = codexRules(rules)
    expect(codex.lines).toEqual(forCodex === null ? [] : [expect.stringMatching(`^${escaped(forCodex)}`)])
    expect(codex.leftOut).toHaveLength(forCodex === null ? 1 : 0)
    const standing = drawbridgeRules(rules, quote)
    expect(standing.lines).toEqual(here === null ? [] : [here])
    expect(standing.leftOut).toHaveLength(here === null ? 1 : 0)
    for (const line of standing.lines) expect(parseRuleText(line).problem).toBeNull()
    for (const { why } of [...codex.leftOut, ...standing.leftOut]) expect(why).not.toBe('')
  })

  it('are read from the project first, without what it allows, and from Cursor', () => {
    const machine = scratchMachine({
      '.cursor/cli-config.json': settings({
        allow: ['Shell(ls)', 'Shell(git status)', 'Read(x)'],
        deny: ['Shell(rm)'],
      }),
      'shop/.claude/settings.json': settings({ allow: ['Bash(bash:*)'], deny: ['Bash(make:*)'] }),
      'shop/.claude/settings.local.json': '{ "permissions": { "allow": [ }',
    })
    const found = findRules(machine, {
      project: `${machine.home}/shop`,
      from: new Set(['claude-code', 'cursor']),
    })
    expect(codexRules(found.rules).lines.map((line) => /\[.*?\]/.exec(line)![0])).toEqual([
      '["make"]',
      '["rm"]',
      '["ls"]',
    ])
    expect(codexRules(found.rules).leftOut[0]).toMatchObject({
      rule: { text: 'Bash(bash:*)' },
      why: 'allows it in one project only, and would here in every folder',
    })
    expect(found.problems).toMatchObject([{ line: 1, file: expect.stringContaining('settings.local.json') }])
  })

  it('make a file only where there are some, each once', () => {
    const rules = rulesOf({ allow: ['Bash(ls:*)', 'Bash(ls:*)'] })
    expect(rulesFile(codexRules(rules).lines)?.match(/prefix_rule/g)).toHaveLength(1)
    expect(rulesFile([])).toBeNull()
  })

  it.each([
    [{ deny: ['Bash(rm -rf /)'], allow: ['Bash(rm:*)', 'Bash(ls:*)'] }, ['ls'], ['rm', 'ls']],
    [{ ask: ['Bash(git push)'], allow: ['Bash(git:*)', 'Bash(gitk:*)'] }, ['gitk'], ['git', 'gitk']],
    [{ deny: ['Bash(git push * --force)'], allow: ['Bash(git:*)', 'Bash(ls:*)'] }, ['ls'], ['ls']],
    [{ deny: ['Bash(rm*)'], allow: ['Bash(rmdir:*)', 'Bash(ls:*)'] }, ['ls'], ['ls']],
    [{ deny: ['Bash(* --force)'], allow: ['Bash(ls:*)'] }, [], []],
    [{ deny: ['Bash'], allow: ['Bash(ls:*)'] }, [], ['ls']],
    [{ deny: ['Read(./.env)'], allow: ['Bash(ls:*)'] }, ['ls'], ['ls']],
    [{ deny: ['mcp__hub__*delete*'], allow: ['mcp__hub', 'mcp__other'] }, [], ['other.*']],
  ])('in %j allow nothing that a rule which is left out forbids', (permissions, forCodex, here) => {
    const rules = rulesOf(permissions)
    const allowed = codexRules(rules).lines.filter((line) => line.includes('"allow"'))
    expect(allowed.map((line) => /\["(.*?)"\]/.exec(line)![1])).toEqual(forCodex)
    const standing = drawbridgeRules(rules, quote).lines.filter((line) => line.startsWith('allow'))
    expect(standing.map((line) => line.split(' ').at(-1))).toEqual(here)
  })

  it.each([
    ["Bash(curl -H 'Authorization: Bearer ghp_PLANTED0123456789abcdefABCDEF01' https://x:*)"],
    ['Bash(psql --password PLANTEDhunter22:*)'],
    ['Bash(deploy $HOME --token=PLANTEDabc123def456ghi789:*)'],
  ])('with a secret are neither copied nor shown: %s', (text) => {
    for (const answer of ['allow', 'deny'])
      for (const { lines, leftOut } of [
        codexRules(rulesOf({ [answer]: [text] })),
        drawbridgeRules(rulesOf({ [answer]: [text] }), quote),
      ]) {
        expect(lines).toEqual([])
        expect(leftOut).toMatchObject([{ why: 'has a secret in it' }])
        expect(leftOut[0]!.rule.text).not.toContain('PLANTED')
      }
  })

  it.each([
    ['x', 'has permissions that are not a table'],
    [{ allow: 'Bash(ls:*)' }, 'has permissions.allow that are not a list of texts'],
    [{ allow: ['Bash(ls:*)'], deny: [{}, 'Bash(rm:*)'] }, 'has permissions.deny that are not a list'],
  ])('that are %j are a problem', (permissions, why) => {
    expect(foundIn(permissions)).toEqual({
      rules: [],
      problems: [expect.objectContaining({ message: expect.stringContaining(why) })],
    })
  })

  it('are none where nothing is set, and a problem where the file cannot be read', () => {
    expect(foundIn(null)).toEqual({ rules: [], problems: [] })
    const machine = scratchMachine({ '.claude/settings.json/folder': '' })
    const found = findRules(machine, { project: null, from: new Set(['claude-code']) })
    expect(found.problems).toMatchObject([
      { message: expect.stringContaining('is not a regular file, so no rules are imported') },
    ])
  })
})

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
