// `drawbridge mcp install`: nothing is written unless it is meant, and everything can be undone.
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runCli } from '../../support/run-cli.ts'
import { runInTerminal } from '../../support/run-in-terminal.ts'

function stage() {
  const home = mkdtempSync(path.join(tmpdir(), 'mcp-install-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const env = {
    HOME: home,
    DRAWBRIDGE_HOME: path.join(home, 'data'),
    CODEX_HOME: path.join(home, '.codex'),
    XDG_CONFIG_HOME: '',
  }
  const install = (...args: string[]) => runCli(['mcp', 'install', ...args], { env })
  return { home, env, install }
}

const SETTINGS = '{\n  // mine\n  "mcpServers": { "other": { "command": "x" } },\n  "token": "s3cret"\n}\n'

describe('a client', () => {
  it('is shown its entry, and nothing is written', async () => {
    const { home, install } = stage()
    const { code, stdout, stderr } = await install('--client', 'cursor')
    expect(code).toBe(0)
    const { drawbridge } = JSON.parse(stdout).mcpServers
    expect(drawbridge.args.slice(-3)).toEqual(['mcp', '--data-dir', path.join(home, 'data')])
    expect(path.isAbsolute(drawbridge.command)).toBe(true)
    expect(stderr).toContain(path.join(home, '.cursor', 'mcp.json'))
    expect(existsSync(path.join(home, '.cursor'))).toBe(false)
  })

  it('is not written to without a yes, and exactly once with it; undo gives the old bytes back', async () => {
    const { home, install } = stage()
    const file = path.join(home, '.claude.json')
    const real = path.join(home, 'dotfiles.json')
    writeFileSync(real, SETTINGS)
    chmodSync(real, 0o640)
    symlinkSync(real, file)
    const asked = await install('--client', 'claude-code', '--write')
    expect(asked).toMatchObject({ code: 2, stdout: '' })
    expect(asked.stderr).toContain('+ ')
    expect(asked.stderr).toContain('say --yes')
    // Only what changes is shown.
    expect(asked.stderr).not.toContain('s3cret')
    expect(readFileSync(real, 'utf8')).toBe(SETTINGS)
    expect(await install('--client', 'claude-code', '--write', '--yes')).toMatchObject({ code: 0 })
    const written = readFileSync(real, 'utf8')
    expect(written).toContain('"drawbridge"')
    expect(written).toContain('// mine')
    expect(statSync(real).mode & 0o777).toBe(0o640)
    const again = await install('--client', 'claude-code', '--write', '--yes')
    expect(again.stderr).toContain('has it already')
    expect(readFileSync(real, 'utf8')).toBe(written)
    expect(await install('--client', 'claude-code', '--undo', '--yes')).toMatchObject({ code: 0 })
    expect(readFileSync(real, 'utf8')).toBe(SETTINGS)
    expect((await install('--client', 'claude-code', '--undo', '--yes')).stderr).toContain(
      'has no entry drawbridge',
    )
  })

  it('that was changed since keeps that when it is undone', async () => {
    const { home, install } = stage()
    const file = path.join(home, '.claude.json')
    writeFileSync(file, SETTINGS)
    await install('--client', 'claude-code', '--write', '--yes')
    writeFileSync(file, readFileSync(file, 'utf8').replace('s3cret', 'changed'))
    expect(await install('--client', 'claude-code', '--undo', '--yes')).toMatchObject({ code: 0 })
    expect(readFileSync(file, 'utf8')).toBe(SETTINGS.replace('s3cret', 'changed'))
  })

  it('whose file is new has none again after undo; one that is not there is said not to be', async () => {
    const { home, install } = stage()
    const missing = await install('--client', 'cursor', '--write', '--yes')
    expect(missing).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is the program installed here?'),
    })
    mkdirSync(path.join(home, '.cursor'))
    const file = path.join(home, '.cursor', 'mcp.json')
    expect(await install('--client', 'cursor', '--write', '--yes')).toMatchObject({ code: 0 })
    expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')).mcpServers)).toEqual(['drawbridge'])
    expect(await install('--client', 'cursor', '--undo', '--yes')).toMatchObject({ code: 0 })
    expect(existsSync(file)).toBe(false)
  })

  it('with a broken file is left alone, and an unknown one is named', async () => {
    const { home, install } = stage()
    const file = path.join(home, '.claude.json')
    writeFileSync(file, '{ "a": ')
    const broken = await install('--client', 'claude-code', '--write', '--yes')
    expect(broken).toMatchObject({ code: 1, stderr: expect.stringMatching(/is left as it is: .* line 1/) })
    expect(readFileSync(file, 'utf8')).toBe('{ "a": ')
    expect(await install('--client', 'emacs')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('claude-code'),
    })
  })
})

it('a person at the terminal sees the change and is asked', async () => {
  const { home, env } = stage()
  const file = path.join(home, '.claude.json')
  writeFileSync(file, SETTINGS)
  const run = runInTerminal(['mcp', 'install', '--client', 'claude-code', '--write'], {
    env,
    timeoutMs: 30_000,
  })
  await run.shows(`Change ${file}? [y/N]`)
  run.type('n')
  expect(await run.ended()).toMatchObject({ code: 3 })
  expect(readFileSync(file, 'utf8')).toBe(SETTINGS)
})

it('codex itself reads the entry that was written for it', async () => {
  const { env, install } = stage()
  mkdirSync(env.CODEX_HOME)
  const config = path.join(env.CODEX_HOME, 'config.toml')
  const before = '# mine\nmodel = "x"\n'
  writeFileSync(config, before)
  expect(await install('--client', 'codex', '--write', '--yes')).toMatchObject({ code: 0 })
  const listed = spawnSync('node_modules/.bin/codex', ['mcp', 'list', '--json'], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
    timeout: 30_000,
  })
  const [server] = JSON.parse(listed.stdout)
  expect(server).toMatchObject({
    name: 'drawbridge',
    transport: { type: 'stdio', args: expect.arrayContaining(['mcp']) },
  })
  expect(await install('--client', 'codex', '--undo', '--yes')).toMatchObject({ code: 0 })
  expect(readFileSync(config, 'utf8')).toBe(before)
})
