// `drawbridge config show`, `set`, `unset` and `check` on the real codex.
import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { MESSY_CONFIG } from '../../../src/config/fixtures/messy-config.ts'
import { ALL_KNOWN_KEYS } from '../../../src/config/index.ts'
import { configStage, QUIET_CONFIG } from '../../support/config-stage.ts'
import { runCli } from '../../support/run-cli.ts'

describe('drawbridge config show', () => {
  it('names the layer of each value, hides secrets, and tells no flags of ours', async () => {
    const secret = 'sk-proj-PLANTED0123456789abcdefABCDEF'
    const stage = await configStage({
      config: `model = "m"\n${QUIET_CONFIG}[mcp_servers.a]\ncommand = "/nowhere/a"\nenv = { A_KEY = "${secret}" }\n`,
    })
    const end = await stage.config('show', '--json')
    expect(end).toMatchObject({ code: 0, stderr: '' })
    const settings = JSON.parse(end.stdout) as { key: string; value: string; layer: string | null }[]
    expect(settings).toContainEqual({ key: 'model', value: '"m"', layer: stage.file })
    expect(settings.every(({ layer }) => layer === stage.file)).toBe(true)
    expect(end.stdout).not.toContain(secret)
    const one = await stage.config('show', 'mcp_servers.a.command')
    expect(one.stdout).toMatch(/^mcp_servers\.a\.command +"\/nowhere\/a" +\S+config\.toml\n$/)
    expect(JSON.parse((await stage.config('show', 'history', '--all', '--json')).stdout)).toContainEqual({
      key: 'history.persistence',
      value: '"save-all"',
      layer: null,
    })
    expect(await stage.config('show', 'nosuch')).toMatchObject({ code: 1, stderr: 'nosuch is not set.\n' })
  })
})

describe('drawbridge config set', () => {
  it('goes through codex, keeps CRLF and every other line, and can be taken back', async () => {
    const config = MESSY_CONFIG.replace('"quoted key" = 1\r\n', '').replace('policy . set', 'policy.set')
    const stage = await configStage({ config })
    expect(await stage.config('set', 'model', 'gpt-6')).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Set: model in /),
    })
    expect(stage.text()).toBe(config.replace('model   =   "gpt-5.5"', 'model   =   "gpt-6"'))
    expect(await stage.config('unset', 'tui.notifications')).toMatchObject({ code: 0 })
    expect(stage.text()).not.toContain('notifications = true')
    expect(stage.text().replaceAll('\r\n', '')).not.toContain('\n')
    await stage.config('undo')
    await stage.config('undo')
    expect(stage.text()).toBe(config)
  })

  it.each([
    ['sandbox_mode', 'nope', /sandbox_mode: .*unknown variant `nope`/],
    ['mcp_servers.a', '{ args = ["x"] }', /mcp_servers\.a: /],
  ])('refuses %s = %s as codex does', async (key, value, why) => {
    const stage = await configStage()
    expect(await stage.config('set', key, value)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(why),
    })
    expect(stage.text()).toBe(QUIET_CONFIG)
  })

  it('tells of a key that codex accepts and does not know', async () => {
    const stage = await configStage()
    const end = await stage.config('set', 'aproval_policy', 'never')
    expect(end).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Codex knows no aproval_policy; did you mean approval_policy?'),
    })
  })
})

describe('drawbridge config check', () => {
  it('finds every misspelt key and wrong value, with line, column and what was meant', async () => {
    const config = `\uFEFFmodle = "x"
sandbox_mode = "readonly"
[features]
shel_tool = true
[mcp_servers."a.b"]
comand = "x"
command = "y"
[nosuch.table]
x = 1
[tui]
notificatons = true
`.replaceAll('\n', '\r\n')
    const stage = await configStage({ config })
    const end = await stage.config('check', '--json')
    expect(end).toMatchObject({ code: 1, stderr: '' })
    const { problems, isCut, file } = JSON.parse(end.stdout)
    expect([isCut, file]).toEqual([false, stage.file])
    const told = problems.map(({ line, column, path: keys, suggestion }: Record<string, unknown>) => [
      `${line}:${column}`,
      (keys as string[]).join('/'),
      suggestion,
    ])
    expect(told.sort()).toEqual(
      [
        ['1:1', 'modle', 'model'],
        ['2:16', 'sandbox_mode', null],
        ['4:1', 'features/shel_tool', 'shell_tool'],
        ['6:1', 'mcp_servers/a.b/comand', 'command'],
        ['8:2', 'nosuch', null],
        ['11:1', 'tui/notificatons', 'notifications'],
      ].sort(),
    )
    expect(stage.text()).toBe(config)
    const forPeople = await stage.config('check')
    expect(forPeople.stdout).toContain(`${stage.file}:1:1: Codex knows no modle; did you mean model?`)
    expect(forPeople.stderr).toBe('6 problems\n')
  })

  it('knows only keys that codex knows, for its suggestions', async () => {
    const lines = ALL_KNOWN_KEYS.map(
      (keys) => `${keys.map((key) => (key === '*' ? 'any' : key)).join('.')} = 1`,
    )
    const top = lines.filter((line) => !line.includes('.'))
    const nested = lines.filter((line) => line.includes('.'))
    for (const part of [top, nested]) {
      const stage = await configStage({ config: `${part.join('\n')}\n` })
      const { problems } = JSON.parse((await stage.config('check', '--json')).stdout)
      expect(problems.filter(({ kind }: { kind: string }) => kind === 'unknown-key')).toEqual([])
    }
  })

  it('leaves no copy behind, and is done with a home that has no file', async () => {
    const stage = await configStage()
    const tmp = path.join(stage.home, 'tmp')
    mkdirSync(tmp)
    rmSync(stage.file)
    const end = await runCli(['config', 'check'], { env: { ...stage.env, TMPDIR: tmp } })
    expect(end).toMatchObject({ code: 0, stderr: expect.stringContaining('Codex uses its defaults') })
    expect(readdirSync(tmp)).toEqual([])
    expect(existsSync(stage.file)).toBe(false)
  })

  it('keeps its copies in the data folder, not in the temp folder, and sweeps those of a killed check', async () => {
    const stage = await configStage()
    const copies = path.join(stage.env.DRAWBRIDGE_HOME, 'config-check')
    const [left, running] = ['home-left', 'home-running'].map((name) => path.join(copies, name)) as [
      string,
      string,
    ]
    for (const folder of [left, running]) mkdirSync(folder, { recursive: true })
    utimesSync(left, 0, 0)
    const end = await runCli(['config', 'check'], { env: { ...stage.env, TMPDIR: '/nowhere' } })
    expect(end).toMatchObject({ code: 0, stderr: expect.stringContaining('understands all of it') })
    expect(readdirSync(copies)).toEqual(['home-running'])
  })
})
