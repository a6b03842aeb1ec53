// `drawbridge trust` as people and scripts use it, with the record on disk and, at the end, with a service that reads it.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { TrustList, TrustLook } from '../../src/api/index.ts'
import { connect, readToken } from '../../src/api/index.ts'
import { message } from '../../src/testing/index.ts'
import { cliStage } from '../support/cli-stage.ts'
import { HOME_WITH_ROOTS } from '../support/hostile-repo.ts'
import { serviceStage } from '../support/service-stage.ts'

const CONFIG = `
[mcp_servers.evil]
command = "/bin/sh"
args = ["-c", "touch ran \\u202E; echo 'a b'"]
`

function addCodexFolder(cwd: string, config = CONFIG): void {
  mkdirSync(path.join(cwd, '.codex'), { recursive: true })
  writeFileSync(path.join(cwd, '.codex/config.toml'), config)
}

const SERVER = `$ /bin/sh -c 'touch ran \\u{202e}; echo '\\''a b'\\'''`

describe('drawbridge trust', () => {
  it('without a terminal shows what it would start and trusts nothing, unless told to', async () => {
    const { piped, cwd, codexHome } = await cliStage([], HOME_WITH_ROOTS)
    addCodexFolder(cwd)
    const asked = await piped('trust')
    expect(asked.code).toBe(3)
    expect(asked.stdout).toContain(SERVER)
    expect(asked.stderr).toBe(
      'drawbridge: not trusted: nobody can be asked here; add --yes to trust it as shown\n',
    )
    const file = path.join(codexHome, 'drawbridge/trusted-folders.json')
    expect(existsSync(file)).toBe(false)

    const config = readFileSync(path.join(codexHome, 'config.toml'), 'utf8')
    const told = await piped('trust', '.', '--yes')
    expect(told).toMatchObject({ code: 0, stderr: `Trusted: ${cwd}\n` })
    expect(told.stdout).toContain(SERVER)
    expect(JSON.parse(readFileSync(file, 'utf8')).folders).toMatchObject([
      { root: cwd, by: expect.stringMatching(/^cli:/) },
    ])
    expect(readFileSync(path.join(codexHome, 'config.toml'), 'utf8')).toBe(config)
    expect(existsSync(path.join(cwd, 'ran'))).toBe(false)
  })

  it('lists, shows and revokes, for people and for programs', async () => {
    const { piped, cwd, codexHome } = await cliStage([], HOME_WITH_ROOTS)
    addCodexFolder(cwd)
    writeFileSync(
      path.join(codexHome, 'config.toml'),
      `${readFileSync(path.join(codexHome, 'config.toml'), 'utf8')}\n[projects."/mine"]\ntrust_level = "trusted"\n`,
    )
    expect((await piped('trust', '--yes', '--json')).code).toBe(0)
    const list = JSON.parse((await piped('trust', 'list', '--json')).stdout) as TrustList
    expect(list).toMatchObject({
      folders: [{ root: cwd }],
      codexFolders: [{ folder: '/mine', trust: 'trusted' }],
      protectedPaths: expect.arrayContaining([expect.stringMatching(/\/\.ssh$/)]),
    })
    const table = await piped('trust', 'list')
    expect(table.stdout).toMatch(new RegExp(`cli:\\S+ +trusted +${cwd}\n +codex +trusted +/mine\n`))
    expect(table.stdout).toContain('cannot read')

    addCodexFolder(cwd, `${CONFIG}# another byte`)
    const shown = await piped('trust', 'show')
    expect(shown).toMatchObject({ code: 0, stderr: '' })
    expect(shown.stdout).toContain('has changed since you trusted it')
    const { trust } = JSON.parse((await piped('trust', 'show', '--json')).stdout) as TrustLook
    expect(trust).toEqual({ state: 'untrusted', by: null, root: cwd, hasChanged: true })

    expect(await piped('trust', 'revoke', cwd)).toMatchObject({
      code: 0,
      stderr: `No longer trusted: ${cwd}\n`,
    })
    expect(await piped('trust', 'revoke', cwd)).toMatchObject({ code: 1 })
  })

  it('says what it cannot do', async () => {
    const { piped, cwd, codexHome } = await cliStage([], HOME_WITH_ROOTS)
    expect(await piped('trust', 'nowhere')).toMatchObject({
      code: 2,
      stderr: `drawbridge: no such folder: ${path.join(cwd, 'nowhere')}\n`,
    })
    addCodexFolder(cwd, 'broken = [')
    const broken = await piped('trust', '--yes')
    expect(broken.code).toBe(1)
    expect(broken.stderr).toMatch(/^drawbridge: this folder cannot be trusted: .*config\.toml cannot be read/)
    mkdirSync(path.join(codexHome, 'drawbridge'), { recursive: true })
    writeFileSync(path.join(codexHome, 'drawbridge/trusted-folders.json'), '{')
    expect(await piped('trust', 'list')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^drawbridge: .*trusted-folders\.json is damaged: mend it/),
    })
  })

  it('at a terminal trusts when y is pressed, and only then', async () => {
    const { inTerminal, piped, cwd } = await cliStage([], HOME_WITH_ROOTS)
    addCodexFolder(cwd)
    const no = inTerminal(['trust'])
    await no.shows('Trust this folder? [y/N]')
    expect(no.text).toContain('touch ran \\u{202e}')
    no.type('\r')
    expect((await no.ended()).code).toBe(3)
    expect((await piped('trust', 'list')).stderr).toBe('No folder is trusted.\n')

    const yes = inTerminal(['trust'])
    await yes.shows('Trust this folder? [y/N]')
    yes.type('y')
    const { code, screen } = await yes.ended()
    expect(code).toBe(0)
    expect(screen).toContain(`Trusted: ${cwd}`)
    expect(await piped('trust')).toMatchObject({ code: 0, stderr: `Trusted already: ${cwd}\n` })
  })

  it('at a terminal does not trust what changed while it was read', async () => {
    const { inTerminal, piped, cwd } = await cliStage([], HOME_WITH_ROOTS)
    addCodexFolder(cwd)
    const run = inTerminal(['trust'])
    await run.shows('Trust this folder? [y/N]')
    addCodexFolder(cwd, `${CONFIG}[mcp_servers.more]\ncommand = "rm"`)
    run.type('y')
    const { code, screen } = await run.ended()
    expect(code).toBe(1)
    expect(screen).toContain('what it would start changed meanwhile')
    expect((await piped('trust', 'list')).stderr).toBe('No folder is trusted.\n')
  })

  it('is seen by a running service, and sees what was trusted there', async () => {
    const { cli, json, cwd, dataDir, record } = await serviceStage([], HOME_WITH_ROOTS)
    addCodexFolder(cwd)
    await cli(['task', 'list'])
    const client = connect({ url: record().url, token: readToken(dataDir)!, actor: 'test' })
    const { look, trust } = await client.trust.look({ cwd })
    expect(trust.state).toBe('untrusted')
    addCodexFolder(cwd, `${CONFIG}# changed`)
    await expect(client.trust.trust({ cwd, digest: look.digest })).rejects.toMatchObject({
      code: 'trust-changed',
    })
    const again = await client.trust.look({ cwd })
    expect(await client.trust.trust({ cwd, digest: again.look.digest })).toMatchObject({
      root: cwd,
      by: 'api:test',
    })
    expect(await json<TrustList>('trust', 'list')).toMatchObject({ folders: [{ root: cwd, by: 'api:test' }] })
    await cli(['trust', 'revoke', '.'])
    expect((await client.trust.look({ cwd })).trust.state).toBe('untrusted')
    expect((await client.trust.list()).folders).toEqual([])
  })
})

describe('drawbridge run in a folder that names something', () => {
  const stage = async () => {
    const made = await cliStage([[message('hello')]], HOME_WITH_ROOTS)
    addCodexFolder(made.cwd)
    const record = path.join(made.codexHome, 'drawbridge/trusted-folders.json')
    return { ...made, isTrusted: () => existsSync(record) }
  }

  it('shows all of it and asks first: untrusted it goes on without', async () => {
    const { inTerminal, isTrusted } = await stage()
    const run = inTerminal(['run', 'go'])
    await run.shows('[u] go on untrusted')
    expect(run.screen.replaceAll('\n', '')).toContain('touch ran \\u{202e}')
    run.type('u')
    const { code, screen } = await run.ended()
    expect([code, screen.includes('hello'), isTrusted()]).toEqual([0, true, false])
  })

  it('is trusted with t, and left with q', async () => {
    const { inTerminal, isTrusted } = await stage()
    const left = inTerminal(['run', 'go'])
    await left.shows('[q] quit')
    left.type('q')
    expect([(await left.ended()).code, isTrusted()]).toEqual([130, false])
    const run = inTerminal(['run', 'go'])
    await run.shows('[t] trust')
    run.type('t')
    expect([(await run.ended()).code, isTrusted()]).toEqual([0, true])
  })

  it('is told in one line where nobody can be asked', async () => {
    const { piped, isTrusted } = await stage()
    const { code, stderr } = await piped('run', 'go')
    expect([code, isTrusted()]).toEqual([0, false])
    expect(stderr).toContain('untrusted folder: what its .codex names is not started')
  })
})
