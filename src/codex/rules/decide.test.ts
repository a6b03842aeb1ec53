import { describe, expect, it } from 'vitest'
import { decide } from './decide.ts'
import { asked, decideAction, decideCommand, NOW, resolve, rulesFrom } from './fixtures/workspace.ts'
import type { Rule } from './rule.ts'
import { ruleReach } from './side.ts'

type Row = readonly [answer: string, command: string]

const OWN_RULES: readonly (readonly [name: string, rules: readonly Rule[], rows: readonly Row[]])[] = [
  [
    'a prefix',
    rulesFrom('allow command git log'),
    [
      ['allow', 'git log'],
      ['allow', 'git log --oneline -5'],
      ['allow', "bash -lc 'git log'"],
      ['allow', "zsh -lc 'git log'"],
      ['allow', "/usr/bin/env bash -c 'git log'"],
      ['allow', 'g""it l\\og'],
      ['ask', 'git logs'],
      ['ask', 'git'],
      ['ask', "git 'log x'"],
      ['ask', "'git log'"],
      ['ask', 'xgit log'],
      ['ask', './git log'],
      ['ask', '/usr/bin/git log'],
      ['ask', 'git -C /x log'],
      ['ask', 'git log; git push'],
      ['ask', 'git log | tee x'],
      ['ask', 'git log > x'],
      ['ask', 'git log < x'],
      ['ask', 'git log --ext-diff'],
      ['ask', 'git log --output=x'],
      ['ask', 'A=1 git log'],
      ['ask', 'timeout 5 git log'],
      ['ask', 'git log $(pwd)'],
      ['allow', 'git log && git log -1'],
    ],
  ],
  [
    'a whole command',
    rulesFrom('allow exact npm run deploy', "allow exact timeout 5 python3 -c 'print(1)'"),
    [
      ['allow', 'npm run deploy'],
      ['allow', "npm 'run' deploy"],
      ['allow', "timeout 5 python3 -c 'print(1)'"],
      ['ask', "python3 -c 'print(1)'"],
      ['ask', 'npm run deploy x'],
      ['ask', 'npm run deploy --'],
      ['ask', 'npm run'],
    ],
  ],
  [
    'deny over allow',
    rulesFrom('allow command', 'deny command rm', 'deny command git push', 'ask command git commit'),
    [
      ['deny', 'rm x'],
      ['deny', 'ls && rm x'],
      ['deny', '/bin/rm x'],
      ['deny', 'RM x'],
      ['deny', 'env A=1 rm x'],
      ['deny', 'nohup timeout -k 1 5 rm x'],
      ['deny', 'sudo -u me rm x'],
      ['deny', 'time -p rm x'],
      ['deny', 'command rm x'],
      ['deny', 'ls | xargs -0 rm'],
      ['deny', "find . -exec rm '{}' ';'"],
      ['deny', "timeout 5 bash -c 'ls; rm x'"],
      ['deny', 'git push'],
      ['deny', 'git -C x push'],
      ['deny', 'git --no-pager push'],
      ['deny', 'git -c a=b push'],
      ['ask', 'git commit -m push'],
      ['ask', 'git commit; ls'],
      ['allow', 'git stash push'],
      ['allow', 'ls rm'],
      ['ask', 'rm $(pwd)'],
      ['ask', 'sudo --weird rm x'],
      ['deny', 'git commit && rm x'],
    ],
  ],
  [
    'variables a rule accepts',
    rulesFrom('allow env=CI env=FOO command npm test'),
    [
      ['allow', 'CI=1 npm test'],
      ['allow', 'FOO=2 CI= npm test'],
      ['ask', 'CI=1 BAR=1 npm test'],
      ['ask', 'PATH=x npm test'],
    ],
  ],
  [
    'paths',
    rulesFrom(
      'allow command echo',
      'allow path /w/docs/*.md',
      'deny path /etc/** **/.ssh/**',
      'allow command cat',
      'allow command cd',
    ),
    [
      ['allow', 'echo x > docs/a.md'],
      ['ask', 'echo x > docs/a/b.md'],
      ['ask', 'echo x > docs/a.txt'],
      ['deny', 'echo x > /etc/a'],
      ['deny', 'echo x > out/a'],
      ['deny', 'cat /etc/passwd'],
      ['deny', 'cat /w/../etc/passwd'],
      ['deny', 'cat src/../out/passwd'],
      ['deny', 'cat notes'],
      ['deny', 'cat --file=/etc/passwd'],
      ['deny', 'cat < /ETC/passwd'],
      ['allow', 'cat docs/a.md'],
      ['ask', 'cd docs; echo x > a.md'],
      ['allow', 'cd docs && echo x > a.md'],
    ],
  ],
  [
    'a carrying option that the rule names',
    rulesFrom('allow command python3 -m http.server', 'allow command xargs ls', 'allow command ls'),
    [
      ['allow', 'python3 -m http.server 8000'],
      ['ask', 'pwd | xargs ls'],
    ],
  ],
]

describe.each(OWN_RULES)('%s', (_, rules, rows) => {
  it.each(rows)('%s %j', (answer, command) => {
    expect(decideCommand(rules, command).answer).toBe(answer)
  })
})

describe('decide', () => {
  it('explains each answer in words', () => {
    const rules = rulesFrom('allow command ls', 'deny note="not here" command rm')
    expect(decideCommand(rules, 'ls && ls -l').why).toBe(
      'every part is allowed: rule allow command ls allows `ls` inside the sandbox; rule allow command ls allows `ls -l` inside the sandbox',
    )
    expect(decideCommand(rules, 'ls; rm x').why).toMatch(/denies `rm x`: not here$/)
    expect(decideCommand(rules, 'ls; pwd').why).toBe('no rule allows `pwd` inside the sandbox')
    expect(decideCommand(rules, 'ls $(pwd)').why).toMatch(
      /cannot be judged by a rule: a variable or substitution/,
    )
    expect(decideCommand(rules, 'A=1 ls').why).toBe('no rule allows `ls` inside the sandbox with A set')
    expect(decideCommand(rules, 'ls; pwd').parts.map(({ text, answer }) => [text, answer])).toEqual([
      ['ls', 'allow'],
      ['pwd', 'ask'],
    ])
  })

  it('holds a rule to its side of the sandbox', () => {
    const answers = (line: string) =>
      [false, true].map((isEscalated) => decideCommand(rulesFrom(line), 'ls', { isEscalated }).answer)
    expect(answers('allow command ls')).toEqual(['allow', 'allow'])
    expect(answers('allow sandboxed=yes command ls')).toEqual(['allow', 'ask'])
    expect(answers('allow sandboxed=no command ls')).toEqual(['ask', 'allow'])
    expect(answers('deny sandboxed=no command ls')).toEqual(['ask', 'deny'])
  })

  it('tells how far a rule lets commands go', () => {
    const reach = (line: string) => ruleReach(rulesFrom(line)[0]!)
    expect(reach('allow command ls')).toBe('outside')
    expect(reach('allow sandboxed=no exact ls')).toBe('outside')
    expect(reach('allow sandboxed=yes command ls')).toBe('inside')
    for (const line of ['deny command ls', 'ask command ls', 'allow path /w/**', 'allow network'])
      expect(reach(line)).toBeNull()
  })

  it('reads the words codex gives instead of the text', () => {
    const rules = rulesFrom('allow command ls')
    const words = (...argv: string[]) =>
      decideAction(rules, { kind: 'command', command: 'ls', argv, cwd: '/w', isEscalated: false }).answer
    expect(words('ls', '$(pwd)', '*')).toBe('allow')
    expect(words('bash', '-lc', 'ls && ls')).toBe('allow')
    expect(words('bash', '-lc', 'ls && rm')).toBe('ask')
    expect(words('ls', 'a\u200bb')).toBe('ask')
    expect(words()).toBe('ask')
    expect(words('')).toBe('ask')
  })

  it('asks when codex does not say the command', () => {
    const action = { kind: 'command', command: null, cwd: null, isEscalated: true } as const
    expect(decideAction(rulesFrom('allow command'), action).answer).toBe('ask')
  })

  it('needs every other thing a command asks for to be allowed too', () => {
    const command = {
      kind: 'command',
      command: 'curl x',
      cwd: '/w',
      isEscalated: false,
      host: 'x.example.com',
    } as const
    expect(decideAction(rulesFrom('allow command curl'), command).answer).toBe('ask')
    expect(decideAction(rulesFrom('allow command curl', 'allow host *.example.com'), command).answer).toBe(
      'allow',
    )
    const permissions = { readPaths: ['/data'], writePaths: [], network: true, other: [] }
    const more = { ...command, permissions }
    expect(decideAction(rulesFrom('allow command curl', 'allow host *', 'allow network'), more).answer).toBe(
      'ask',
    )
    const all = rulesFrom('allow command curl', 'allow host *', 'allow network', 'allow path /data/**')
    expect(decideAction(all, more).answer).toBe('allow')
  })

  it('grants a folder only where a rule covers all of it', () => {
    const grant = (path: string) =>
      ({
        kind: 'permissions',
        permissions: { readPaths: [], writePaths: [path], network: false, other: [] },
        cwd: '/w',
      }) as const
    expect(decideAction(rulesFrom('allow path /w/**'), grant('/w/src')).answer).toBe('allow')
    expect(decideAction(rulesFrom('allow path /w/*'), grant('/w/src')).answer).toBe('ask')
    expect(decideAction(rulesFrom('allow path /w/**'), grant('/')).answer).toBe('ask')
    expect(decideAction(rulesFrom('allow path /w/**'), grant('/w/out')).answer).toBe('ask')
    expect(decideAction(rulesFrom('allow path /**', 'deny path /etc/shadow'), grant('/')).answer).toBe('deny')
    expect(
      decideAction(rulesFrom('allow path /**', 'deny path @workspace/secret/**'), grant('/')).answer,
    ).toBe('deny')
    expect(decideAction(rulesFrom('allow path /**', 'deny path /etc/shadow'), grant('/w')).answer).toBe(
      'allow',
    )
  })

  it('judges every file of a patch, and the folder codex wants to keep', () => {
    const rules = rulesFrom('allow path @workspace/src/**', 'deny path **/*.lock')
    const patch = (paths: readonly string[], grantRoot: string | null = null) => {
      const changes = paths.map((path) => ({ path, change: 'update' as const }))
      return decideAction(rules, { kind: 'file-change', changes, grantRoot, cwd: '/w' }).answer
    }
    expect(patch(['/w/src/a.ts', '/w/inner/b.ts'])).toBe('allow')
    expect(patch(['/w/src/a.ts', '/w/b.ts'])).toBe('ask')
    expect(patch(['/w/src/../b.ts'])).toBe('ask')
    expect(patch(['/w/src/up/etc/x'])).toBe('ask')
    expect(patch(['/w/src/a.LOCK'])).toBe('deny')
    expect(patch(['/w/src/a.ts'], '/w')).toBe('deny')
    expect(patch([])).toBe('ask')
  })

  it('knows servers, tools and hosts by name', () => {
    const rules = rulesFrom(
      'allow mcp github.get_*',
      'allow read-only=yes mcp docs.*',
      'deny host *.evil.example',
      'allow host api.example.com',
    )
    const tool = (server: string, name: string, isReadOnly: boolean | null = null) =>
      decideAction(rules, { kind: 'mcp-tool', server, tool: name, isReadOnly }).answer
    expect(tool('github', 'get_issue')).toBe('allow')
    expect(tool('github', 'create_issue')).toBe('ask')
    expect(tool('github2', 'get_issue')).toBe('ask')
    expect(tool('docs', 'find', true)).toBe('allow')
    expect(tool('docs', 'find', null)).toBe('ask')
    const host = (name: string) => decideAction(rules, { kind: 'host', host: name }).answer
    expect(host('api.example.com')).toBe('allow')
    expect(host('API.example.com.')).toBe('allow')
    expect(host('api.example.com.evil.example')).toBe('deny')
    expect(host('x.api.example.com')).toBe('ask')
  })

  it('holds a rule to its folder, labels, thread and time', () => {
    const ls = { kind: 'command', command: 'ls', cwd: '/w/src', isEscalated: false } as const
    const answer = (line: string, more = {}) => decideAction(rulesFrom(line), ls, more).answer
    expect(answer('allow cwd=/w/** command ls')).toBe('allow')
    expect(answer('allow cwd=/x/** command ls')).toBe('ask')
    expect(answer('allow cwd=@workspace/src command ls')).toBe('allow')
    expect(answer('allow label=ci command ls')).toBe('allow')
    expect(answer('allow label=ci label=prod command ls')).toBe('ask')
    expect(answer('allow thread=thread-1 command ls')).toBe('allow')
    expect(answer('allow thread=thread-2 command ls')).toBe('ask')
    expect(answer('allow until=2026-11-15T00:00:00Z command ls')).toBe('ask')
    expect(answer('allow until=2026-11-15T00:00:01Z command ls')).toBe('allow')
    const nowhere = { kind: 'command', command: 'ls', cwd: null, isEscalated: false } as const
    expect(decideAction(rulesFrom('allow cwd=/** command ls'), nowhere).answer).toBe('ask')
    expect(decideAction(rulesFrom('deny cwd=/w/** command ls'), nowhere).answer).toBe('deny')
  })

  it('takes the root of the file system for no workspace', () => {
    const patch = {
      kind: 'file-change',
      changes: [{ path: '/x', change: 'add' }],
      grantRoot: null,
      cwd: '/',
    } as const
    const question = asked(patch, { workspaceRoots: ['/'] })
    expect(decide(rulesFrom('allow path @workspace/**'), question, { now: NOW, resolve }).answer).toBe('ask')
  })

  it('allows no path that cannot be resolved', () => {
    const patch = {
      kind: 'file-change',
      changes: [{ path: '/w/a', change: 'add' }],
      grantRoot: null,
      cwd: '/w',
    } as const
    for (const lost of [null, '', 'w/a', '/w/../a'])
      expect(
        decide(rulesFrom('allow path /**'), asked(patch), { now: NOW, resolve: () => lost }).answer,
      ).toBe('ask')
  })
})
