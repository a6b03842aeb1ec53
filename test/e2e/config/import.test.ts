// `drawbridge config import` as people and scripts use it, with the real codex starting what was imported.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { APPLICATION_FILES, SECRETS } from '../../../src/config/fixtures/applications.ts'
import { configStage, QUIET_CONFIG, realServer } from '../../support/config-stage.ts'
import { runInTerminal } from '../../support/run-in-terminal.ts'

const claude = (mcpServers: unknown) => ({ '.claude.json': JSON.stringify({ mcpServers }) })
const ALL = Object.fromEntries(Object.values(APPLICATION_FILES).map(({ path: file, text }) => [file, text]))

/** Everything below a folder that a person or a program could read. */
function allText(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')
}

describe('drawbridge config import', () => {
  it('imports what the real codex then starts, keeps every other byte, and takes it back', async () => {
    const crlf = `# mine\r\n${QUIET_CONFIG.replaceAll('\n', '\r\n')}[mcp_servers.own]\r\ncommand = "own"\r\nenabled = false`
    const stage = await configStage({
      config: crlf,
      user: claude({
        asker: realServer({ MCP_LOG: '/dev/null' }),
        missing: { command: '/nowhere/server' },
        own: { command: 'other' },
        off: { command: '/nowhere/off', disabled: true },
      }),
    })
    const end = await stage.config('import', '--from', 'claude-code', '--yes', '--json')
    expect(end).toMatchObject({ code: 0, stderr: '' })
    const report = JSON.parse(end.stdout)
    expect(report).toMatchObject({
      targetPath: stage.file,
      migrated: ['asker', 'missing', 'off'],
      preservedUserServers: ['own'],
      skippedKeysPerServer: { off: ['disabled: unknown Claude Code key'] },
      migratedPlugins: [],
      pluginQueryError: null,
      wrotePermissionsDefault: null,
      errors: [],
      written: true,
      dryRun: false,
      summary: '3 servers imported, 1 of your own kept',
    })
    const starts = Object.fromEntries(report.starts.map((start: { name: string }) => [start.name, start]))
    expect(starts.asker).toEqual({ name: 'asker', isStarted: true, tools: 3, problem: null })
    expect(starts.missing).toMatchObject({
      isStarted: false,
      problem: expect.stringContaining('No such file'),
    })
    const text = stage.text()
    expect(text.startsWith('# mine\r\n')).toBe(true)
    expect(text.replaceAll('\r\n', '')).not.toContain('\n')
    expect(parse(text)).toMatchObject({
      mcp_servers: { own: { command: 'own' }, asker: { command: process.execPath } },
    })

    const again = await stage.config('import', '--from', 'claude-code', '--yes')
    expect(again).toMatchObject({ code: 0, stderr: 'Nothing to change.\n' })
    expect(stage.text()).toBe(text)

    expect(await stage.config('undo')).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Taken back: `config import`/),
    })
    expect(stage.text()).toBe(crlf)
    expect(await stage.config('undo')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no change'),
    })
  })

  it('writes nothing where nobody can be asked, and nothing on a dry run', async () => {
    const stage = await configStage({ user: claude({ a: { command: '/nowhere/a' } }) })
    const asked = await stage.config('import')
    expect(asked).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('nobody can be asked here; add --yes'),
    })
    expect(asked.stdout).toContain('starts /nowhere/a')
    expect(asked.stdout).toContain('+[mcp_servers.a]')
    const dry = await stage.config('import', '--dry-run', '--json', '--with', 'plugins,skills')
    expect(JSON.parse(dry.stdout)).toMatchObject({ dryRun: true, written: false, migrated: ['a'] })
    expect(stage.text()).toBe(QUIET_CONFIG)
    expect(readdirSync(stage.codexHome)).toEqual(['config.toml'])
  })

  it('asks for each secret and for the whole, and does what the person says', async () => {
    const stage = await configStage({
      user: claude({
        a: { command: '/nowhere/a', env: { A_TOKEN: SECRETS.claudeEnv, B_TOKEN: SECRETS.vscodeEnv } },
      }),
    })
    const run = stage.inTerminal('import', '--no-start')
    const where = `a (user, ${path.join(stage.home, '.claude.json')})`
    await run.shows(`Copy the secret env.A_TOKEN of ${where} into config.toml?`)
    await run.shows('Do that? [y/N]')
    run.type('y')
    await run.shows(`Copy the secret env.B_TOKEN of ${where} into config.toml?`)
    await run.shows('Do that? [y/N]')
    run.type('n')
    await run.shows('Codex then starts 1 server outside its sandbox.')
    await run.shows(/Write this to .*config\.toml\? \[y\/N\]/)
    run.type('y')
    expect((await run.ended()).code).toBe(0)
    expect(parse(stage.text()).mcp_servers).toEqual({
      a: { command: '/nowhere/a', env: { A_TOKEN: SECRETS.claudeEnv }, env_vars: ['B_TOKEN'] },
    })
    expect(run.raw).not.toContain(SECRETS.claudeEnv)
    expect(run.raw).not.toContain(SECRETS.vscodeEnv)
  })

  it('asks nobody who does not see the change', async () => {
    const stage = await configStage({ user: claude({ a: { command: '/nowhere/a' } }) })
    const before = `exec >${path.join(stage.home, 'log')};`
    const run = runInTerminal(['config', 'import'], { env: stage.env, before })
    await run.shows('nobody can be asked here')
    expect((await run.ended()).code).toBe(3)
    expect(stage.text()).toBe(QUIET_CONFIG)
  })

  it('takes every other key for a no, and Ctrl-C for leaving', async () => {
    const stage = await configStage({ user: claude({ a: { command: '/nowhere/a' } }) })
    const no = stage.inTerminal('import')
    await no.shows('[y/N]')
    no.type('x')
    expect((await no.ended()).code).toBe(3)
    const leave = stage.inTerminal('import')
    await leave.shows('[y/N]')
    leave.type('\u0003')
    expect((await leave.ended()).code).toBe(130)
    expect(stage.text()).toBe(QUIET_CONFIG)
  })

  it('shows no secret of any application in any output or file, and copies them only when told to', async () => {
    const stage = await configStage({ user: ALL })
    const runs = [
      ['sources'],
      ['sources', '--json'],
      ['import', '--dry-run'],
      ['import', '--dry-run', '--json', '--with', 'secrets'],
      ['import', '--yes', '--no-start'],
    ]
    for (const args of runs) {
      const { stdout, stderr } = await stage.config(...args)
      expect(leaks(stdout + stderr), args.join(' ')).toEqual([])
    }
    expect(leaks(allText(stage.codexHome))).toEqual([])
    const copied = await stage.config('import', '--yes', '--no-start', '--with', 'secrets')
    expect(copied.code).toBe(0)
    expect(leaks(copied.stdout + copied.stderr)).toEqual([])
    expect(leaks(stage.text())).toEqual(Object.keys(SECRETS))
    const shown = await stage.config('show', 'mcp_servers')
    expect(leaks(shown.stdout + shown.stderr)).toEqual([])
    expect(shown.stdout).toContain('mcp_servers.anthropic.command')
    // Codex knows every key that was written.
    expect(await stage.config('check', '--json')).toMatchObject({ code: 0, stderr: '' })
  })

  it('leaves a broken config.toml alone, with line and column, and names broken sources', async () => {
    const stage = await configStage({
      config: 'model = "x"\nmodel = = 1\n',
      user: claude({ a: { command: 'a' } }),
    })
    expect(await stage.config('import', '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/config\.toml:2:9 is not valid TOML/),
    })
    expect(stage.text()).toBe('model = "x"\nmodel = = 1\n')
    const broken = await configStage({ user: { '.cursor/mcp.json': '{\n  "mcpServers": {,}\n}' } })
    const end = await broken.config('import', '--yes', '--json')
    expect(end.code).toBe(1)
    expect(JSON.parse(end.stdout).problems).toMatchObject([{ application: 'cursor', line: 2, column: 18 }])
  })

  it.each([
    [['--from', 'emacs'], /--from emacs: give one of claude-code, /],
    [['--rules', 'all'], /'--rules <for>' argument 'all' is invalid/],
    [['--with', 'everything'], /--with everything: give one of secrets, plugins, skills/],
    [['--home', '/nowhere/codex'], /--home: there is no folder \/nowhere\/codex/],
  ])('refuses %j', async (args, why) => {
    const stage = await configStage()
    expect(await stage.config('import', ...args)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(why),
    })
  })

  it('refuses the home of a test run that the environment names, unless it is meant', async () => {
    const stage = await configStage({ env: { CODEX_HOME: '/tmp/pytest-of-ada/pytest-1/codex' } })
    expect(await stage.config('import', '--yes')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--home'),
    })
    expect(await stage.config('import', '--yes', '--home', stage.codexHome)).toMatchObject({ code: 0 })
  })

  it('has codex take over skills and AGENTS.md itself, when told to, and leaves config.toml to us', async () => {
    const stage = await configStage({
      user: {
        '.claude/skills/hello/SKILL.md': '---\nname: hello\ndescription: says hello\n---\nSay hello.\n',
        '.claude/CLAUDE.md': '# Rules\nBe brief.\n',
        ...claude({ a: { command: '/nowhere/a' } }),
      },
    })
    const end = await stage.config('import', '--yes', '--json', '--no-start', '--with', 'skills,agents-md')
    const report = JSON.parse(end.stdout)
    expect(report).toMatchObject({ written: true, errors: [], migrated: ['a'] })
    expect(report.items).toHaveLength(2)
    expect(report.itemResults).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^SKILLS: hello/),
        expect.stringMatching(/^AGENTS_MD: .*AGENTS\.md/),
      ]),
    )
    expect(readFileSync(path.join(stage.codexHome, 'AGENTS.md'), 'utf8')).toContain('Be brief.')
    expect(stage.text().startsWith(QUIET_CONFIG)).toBe(true)
  })

  it('asks codex for plugins when told to, and goes on without', async () => {
    const stage = await configStage({ user: claude({ a: { command: '/nowhere/a' } }) })
    const end = await stage.config(
      'import',
      '--yes',
      '--json',
      '--no-start',
      '--with',
      'plugins',
      '--permissions',
      'workspace',
    )
    expect(JSON.parse(end.stdout)).toMatchObject({
      written: true,
      pluginQueryError: null,
      migratedPlugins: [],
      wrotePermissionsDefault: ':workspace',
    })
    expect(parse(stage.text()).default_permissions).toBe(':workspace')
    writeFileSync(stage.file, QUIET_CONFIG)
    const failed = await stage.config('import', '--yes', '--json', '--codex', '/nowhere/codex')
    expect(failed.code).toBe(1)
    expect(JSON.parse(failed.stdout)).toMatchObject({
      written: true,
      errors: [expect.stringMatching(/^codex: /)],
    })
    expect(existsSync(path.join(stage.env.DRAWBRIDGE_HOME, 'config-backups'))).toBe(true)
  })
})

function leaks(text: string): string[] {
  return Object.entries(SECRETS)
    .filter(([, secret]) => text.includes(secret.replace(/^Bearer /, '')))
    .map(([name]) => name)
}
