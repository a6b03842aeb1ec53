// What the real codex writes into a config.toml that has an imported block: its writer puts new tables above the block's
// end line where that ends the file, and new root keys below `default_permissions`.
import { parse } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { configStage } from '../../support/config-stage.ts'

const CONFIG = 'check_for_update_on_startup = false\n'
const SERVERS = { '.claude.json': JSON.stringify({ mcpServers: { a: { command: '/nowhere/a' } } }) }
const IMPORT = ['import', '--yes', '--no-start', '--permissions', ':workspace']

describe('settings that codex writes after an import', { timeout: 120_000 }, () => {
  it('are kept by the next import, and by undo', async () => {
    const stage = await configStage({ config: CONFIG, user: SERVERS })
    await stage.config(...IMPORT)
    const imported = parse(stage.text())
    for (const [key, value] of [
      ['projects."/x"', '{ trust_level = "trusted" }'],
      ['features.shell_snapshot', 'false'],
      ['mcp_servers.z', '{ command = "z", enabled = false }'],
      ['model_reasoning_effort', 'high'],
    ])
      expect(await stage.config('set', key!, value!)).toMatchObject({ code: 0 })
    const written = stage.text()
    expect(written.indexOf('[projects."/x"]')).toBeLessThan(written.indexOf('# <<< drawbridge'))
    const theirs = {
      projects: { '/x': { trust_level: 'trusted' } },
      features: { shell_snapshot: false },
      model_reasoning_effort: 'high',
    }
    expect(parse(written)).toEqual({
      ...imported,
      ...theirs,
      mcp_servers: { a: { command: '/nowhere/a' }, z: { command: 'z', enabled: false } },
    })

    expect(await stage.config(...IMPORT)).toMatchObject({ code: 0 })
    expect(parse(stage.text())).toEqual(parse(written))
    expect(stage.text().indexOf('[projects."/x"]')).toBeGreaterThan(stage.text().indexOf('# <<< drawbridge'))
    expect((await stage.config(...IMPORT)).stderr).toBe('Nothing to change.\n')

    await stage.config('undo')
    expect(stage.text()).toBe(written)
    for (let time = 0; time < 5; time++) expect(await stage.config('undo')).toMatchObject({ code: 0 })
    expect(stage.text()).toBe(CONFIG)
  })

  it('stay when the import or an earlier set is taken back', async () => {
    const stage = await configStage({ config: CONFIG, user: SERVERS })
    await stage.config(...IMPORT)
    const elsewhere = await configStage({ env: { CODEX_HOME: stage.codexHome } })
    await elsewhere.config('set', 'projects."/x".trust_level', 'trusted')
    expect(await stage.config('undo')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('what was changed since is kept'),
    })
    const project = { projects: { '/x': { trust_level: 'trusted' } } }
    expect(parse(stage.text())).toEqual({ check_for_update_on_startup: false, ...project })

    await stage.config('set', 'model', 'gpt-6')
    await elsewhere.config('set', 'tui.notifications', 'true')
    expect(await stage.config('undo')).toMatchObject({ code: 0 })
    expect(parse(stage.text())).toEqual({
      check_for_update_on_startup: false,
      ...project,
      tui: { notifications: true },
    })
  })
})
