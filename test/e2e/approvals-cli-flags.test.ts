// Who answers `drawbridge run` when nobody is there: --yes and what it does not cover, and the refusal.
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { applyPatch, functionCall, message, shell, toolOutputs } from '../../src/testing/index.ts'
import { cliStage } from '../support/cli-stage.ts'
import { MCP, mcpServer } from '../support/mcp-server.ts'
import { jsonLines, runCli } from '../support/run-cli.ts'

const touch = (name: string) => shell(`touch ${name}`, { escalate: 'because' })
const oneCommand = [[touch('made')], [message('fine')]]
const wanting = (permissions: object) => [
  [functionCall('request_permissions', { reason: 'because', permissions })],
  [message('fine')],
]
const permissionsTool = { config: { 'features.request_permissions_tool': true } }

const decisions = (stdout: string) => jsonLines(stdout).filter(({ type }) => type === 'decision')

describe('with nobody there', () => {
  it('what codex asks is declined, visibly, and the exit code is 3', async () => {
    const { piped, cwd } = await cliStage(oneCommand)
    const { code, stderr, stdout } = await piped('run', 'go')
    expect(code).toBe(3)
    expect(stdout).toBe('fine\n')
    expect(stderr).toMatch(/✋ declined: run .*touch made.* \(because\) · nobody is there to answer\n/)
    expect(existsSync(path.join(cwd, 'made'))).toBe(false)
  })

  it('the rule of a preset that asked is named', async () => {
    const { piped } = await cliStage([[shell('sudo ls', { escalate: 'because' })], [message('fine')]])
    const { code, stderr } = await piped('run', '--approve', 'trusted', 'go')
    expect(code).toBe(3)
    expect(stderr).toMatch(
      /✋ declined: run .*sudo ls.* · nobody is there to answer, and rule trusted: sudo asks for `sudo ls`\n/,
    )
  })

  it('--json on a terminal asks nobody and says what was decided', async () => {
    const { inTerminal } = await cliStage(oneCommand)
    const run = inTerminal(['run', '--json', 'go'])
    const { code } = await run.ended()
    expect(code).toBe(3)
    expect(decisions(run.text)).toMatchObject([
      {
        type: 'decision',
        kind: 'command',
        method: 'item/commandExecution/requestApproval',
        what: expect.stringContaining('touch made'),
        answer: 'deny',
        by: 'default',
        rule: null,
        why: 'nobody is there to answer',
      },
    ])
  })
})

describe('--yes', () => {
  it('answers once, and says so', async () => {
    const { piped, cwd, codexHome } = await cliStage([
      ...oneCommand.slice(0, 1),
      [touch('made')],
      [message('fine')],
    ])
    const { code, stderr } = await piped('run', '--yes', 'go')
    expect(code).toBe(0)
    expect(stderr.match(/✓ allowed once: run .*touch made.* · by --yes\n/g)).toHaveLength(2)
    expect(existsSync(path.join(cwd, 'made'))).toBe(true)
    expect(existsSync(path.join(codexHome, 'rules', 'default.rules'))).toBe(false)
  })

  it('does not ask on a terminal', async () => {
    const { inTerminal } = await cliStage(oneCommand)
    const { code, screen } = await inTerminal(['run', '--yes', 'go']).ended()
    expect(code).toBe(0)
    expect(screen).toContain('by --yes')
  })

  it.each([
    ['the network', { network: { enabled: true } }, '--yes-network'],
    ['the whole file system', { file_system: { write: ['/'] } }, '--yes-full-access'],
  ])('does not give %s unless that is spelled out', async (what, permissions, flag) => {
    const without = await cliStage(wanting(permissions), permissionsTool)
    const refused = await without.piped('run', '--yes', 'go')
    expect(refused.code).toBe(3)
    expect(refused.stderr).toContain(`· --yes does not give ${what}; ${flag} does\n`)
    const withFlag = await cliStage(wanting(permissions), permissionsTool)
    const granted = await withFlag.piped('run', '--json', '--yes', flag, 'go')
    expect(granted.code).toBe(0)
    expect(decisions(granted.stdout)).toMatchObject([{ answer: 'once', by: 'rule', rule: '--yes' }])
  })

  it('gives a folder', async () => {
    const { piped } = await cliStage(wanting({ file_system: { write: ['sub'] } }), permissionsTool)
    expect(await piped('run', '--yes', 'go')).toMatchObject({ code: 0 })
  })

  it('lets tools of MCP servers run, and makes nothing up', async () => {
    const server = mcpServer()
    const requestedSchema = { type: 'object', properties: { x: { type: 'string' } }, required: ['x'] }
    const calls = [
      [functionCall('danger', {}, { namespace: MCP })],
      [functionCall('form', { requestedSchema }, { namespace: MCP })],
      [functionCall('page', { url: 'https://example.com' }, { namespace: MCP })],
      [message('fine')],
    ]
    const { piped, model } = await cliStage(calls, { toml: server.toml })
    const { code, stdout } = await piped('run', '--json', '--yes', 'go')
    expect(code).toBe(3)
    expect(server.runs()).toBe(1)
    expect(decisions(stdout).map(({ answer, why }) => [answer, why])).toEqual([
      ['once', null],
      ['deny', '--yes cannot fill in a form'],
      ['deny', '--yes cannot visit a page'],
    ])
    expect(
      toolOutputs(model.requests[3]!)
        .map(({ text }) => text)
        .join(),
    ).toContain('decline')
  })

  it.each(['--yes-network', '--yes-full-access'])('has to be given with %s', async (flag) => {
    const { code, stderr } = await runCli(['run', flag, 'go'])
    expect(code).toBe(2)
    expect(stderr).toContain(`${flag} adds to --yes`)
  })
})

describe('rules', () => {
  const patch = applyPatch('*** Begin Patch\n*** Add File: made.txt\n+one\n*** End Patch\n')

  it('of --approve workspace let a write inside the workspace through, and nothing else', async () => {
    const outside = shell('touch ../outside', { escalate: 'because' })
    const { inTerminal, cwd } = await cliStage([[patch], [outside], [message('fine')]])
    const run = inTerminal(['run', '--approve', 'workspace', 'go'])
    await run.shows(/✓ allowed once: change .*made\.txt · rule workspace: .* allows/)
    await run.shows('Codex asks to run a command')
    await run.shows('[d] deny')
    run.type('d')
    expect(await run.ended()).toMatchObject({ code: 3 })
    expect(existsSync(path.join(cwd, 'made.txt'))).toBe(true)
  })

  it('of --rule deny, before anybody is asked and whatever --yes says', async () => {
    const { inTerminal, cwd } = await cliStage(oneCommand)
    const { code, screen } = await inTerminal(['run', '--yes', '--rule', 'deny command touch', 'go']).ended()
    expect(code).toBe(3)
    expect(screen).toMatch(/✋ declined: run .*touch made.* · rule deny command touch denies `touch made`\n/)
    expect(existsSync(path.join(cwd, 'made'))).toBe(false)
  })

  it('of --rule allow, and the JSON says which', async () => {
    const { piped, cwd } = await cliStage(oneCommand)
    const { code, stdout } = await piped('run', '--json', '--rule', 'allow exact touch made', 'go')
    expect(code).toBe(0)
    expect(decisions(stdout)).toMatchObject([
      {
        answer: 'once',
        by: 'rule',
        rule: 'allow exact touch made',
        why: expect.stringContaining('touch made'),
      },
    ])
    expect(existsSync(path.join(cwd, 'made'))).toBe(true)
  })

  it('of --rule ask are put to the person even with --yes', async () => {
    const { inTerminal } = await cliStage(oneCommand)
    const run = inTerminal(['run', '--yes', '--rule', 'ask command touch', 'go'])
    await run.shows('[o] once')
    run.type('o')
    expect(await run.ended()).toMatchObject({ code: 0, screen: expect.stringContaining('· by you') })
  })
})

describe('drawbridge rules check', () => {
  it('explains part by part, and exits 0 only when all of it is allowed', async () => {
    const rules = ['--approve', 'read-only', '--rule', 'allow command git status']
    rules.push('--rule', 'deny command git push')
    const allowed = await runCli(['rules', 'check', 'git status', ...rules])
    expect(allowed).toMatchObject({ code: 0, stderr: '' })
    expect(allowed.stdout).toMatch(
      /^✓ allow {2}git status\n {9}allow command git status\nallow, outside the sandbox: rule .* outside the sandbox\n$/,
    )
    const mixed = await runCli(['rules', 'check', 'git status && touch x; git push', ...rules])
    expect(mixed.code).toBe(3)
    for (const line of [
      '✓ allow  git status',
      '? ask    touch x',
      '✋ deny   git push',
      'deny, outside the sandbox: rule deny command git push',
    ])
      expect(mixed.stdout).toContain(line)
  })

  it('judges a command as one that stays in its sandbox when told so', async () => {
    const check = ['rules', 'check', 'npm test', '--approve', 'workspace']
    expect(await runCli(check)).toMatchObject({
      code: 3,
      stdout: expect.stringContaining(
        'ask, outside the sandbox: no rule allows `npm test` outside the sandbox',
      ),
    })
    expect(await runCli([...check, '--sandboxed'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('allow, inside the sandbox: '),
    })
  })

  it('says what trusted gives away, and that the workspace is a home folder', async () => {
    const trusted = await runCli(['rules', 'check', 'ls', '--approve', 'trusted'])
    expect(trusted.stdout).toMatch(/\ntrusted allows .*outside the sandbox too: .*files and logins/)
    const home = await runCli([
      'rules',
      'check',
      'ls',
      '--approve',
      'workspace',
      '--cwd',
      homedir(),
      '--json',
    ])
    expect(JSON.parse(home.stdout)).toMatchObject({
      sandbox: 'outside',
      notes: [expect.stringContaining('The workspace is a home folder')],
    })
    const { stdout: help } = await runCli(['run', '--help'])
    expect(help).toMatch(/trusted +nearly everything, outside the sandbox too/)
  })

  it('says the same as JSON', async () => {
    const { code, stdout } = await runCli(['rules', 'check', 'ls; x', '--rule', 'allow command ls', '--json'])
    expect(code).toBe(3)
    expect(JSON.parse(stdout)).toMatchObject({
      answer: 'ask',
      sandbox: 'outside',
      notes: [],
      rule: null,
      parts: [
        { text: 'ls', answer: 'allow', rule: { id: 'allow command ls', text: 'allow command ls' } },
        { text: 'x', answer: 'ask', rule: null },
      ],
    })
  })

  it('refuses a rule it cannot read', async () => {
    const { code, stderr, stdout } = await runCli(['rules', 'check', 'ls', '--rule', 'allow'])
    expect(code).toBe(2)
    expect(stderr).toContain("--rule 'allow': say what it is about")
    expect(stdout).toBe('')
  })
})
