import { writeFileSync } from 'node:fs'
import { parse } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { APPLICATION_FILES, SECRETS } from './fixtures/applications.ts'
import { scratchMachine } from './fixtures/scratch-machine.ts'
import { type ImportWish, originsRead, prepareImport } from './prepare-import.ts'
import { APPLICATIONS, findSources } from './sources/index.ts'
import { NOTHING_ALLOWED } from './translate/index.ts'

const NOTHING_WANTED = { project: null, env: {}, allowed: NOTHING_ALLOWED, plugins: null, permissions: null }

function wishOf(id: string, more: Partial<ImportWish> = {}): ImportWish {
  const { path, text } = APPLICATION_FILES[id]!
  const machine = scratchMachine({ [path]: text })
  const servers = findSources({ ...machine, home: machine.home }, { from: [id] }).flatMap(
    (source) => source.servers,
  )
  return { servers, from: new Set([id]), ...NOTHING_WANTED, ...more }
}

/** What is said of each server. */
function told(wish: ImportWish): string {
  const { plan } = prepareImport('', wish)
  return plan.all
    .flatMap(({ name, problem, notes, leftOut, needs }) => [
      `${name}${problem === null ? '' : ` is not imported: ${problem}`}`,
      ...notes.map(({ about, text }) => `  ${about}: ${text}`),
      ...leftOut.map(({ key, why }) => `  ${key}: ${why}`),
      ...(needs.length > 0 ? [`  needs ${needs.join(', ')}`] : []),
      '',
    ])
    .join('\n')
}

describe('an import', () => {
  it.each(APPLICATIONS.map(({ id }) => id))('from %s gives what is on record', async (id) => {
    const wish = wishOf(id)
    const home = wish.servers[0]!.origin.file.replace(`/${APPLICATION_FILES[id]!.path}`, '')
    const { text } = prepareImport('', wish).applied
    await expect(text.replaceAll(home, '/home/ada')).toMatchFileSnapshot(`./fixtures/golden/${id}.toml`)
    await expect(told(wish)).toMatchFileSnapshot(`./fixtures/golden/${id}.txt`)
  })

  it('from all of them copies no secret unless it is allowed, and then each', () => {
    const files = Object.fromEntries(Object.values(APPLICATION_FILES).map(({ path, text }) => [path, text]))
    const servers = findSources(scratchMachine(files)).flatMap((source) => source.servers)
    const wish = { servers, from: new Set(APPLICATIONS.map(({ id }) => id)), ...NOTHING_WANTED }
    const without = prepareImport('', wish)
    expect(Object.values(SECRETS).filter((secret) => without.applied.text.includes(secret))).toEqual([])
    const known = without.plan.all.flatMap(({ secrets }) => secrets)
    expect(Object.values(SECRETS).filter((secret) => !known.some((each) => each.includes(secret)))).toEqual(
      [],
    )
    const allowed = { ...NOTHING_ALLOWED, secrets: 'all' as const }
    const copied = prepareImport('', { ...wish, allowed })
    expect(Object.values(SECRETS).filter((secret) => !copied.applied.text.includes(secret))).toEqual([])
  })

  it('copies one secret when that one is allowed', () => {
    const wish = wishOf('claude-code')
    const asks = prepareImport('', wish).plan.all.flatMap((translation) => translation.asks)
    const { key } = asks.find(({ text }) => text.startsWith('copy the secret env.ANTHROPIC_API_KEY'))!
    const allowed = { ...NOTHING_ALLOWED, secrets: new Set([key]) }
    const { text } = prepareImport('', { ...wish, allowed }).applied
    expect(text).toContain(SECRETS.claudeEnv)
    expect(text).not.toContain(SECRETS.claudeHeader)
  })

  it('sets dangerous variables only by name', () => {
    const allowed = { ...NOTHING_ALLOWED, variables: new Set(['NODE_OPTIONS']) }
    const { text } = prepareImport('', wishOf('openclaw', { allowed })).applied
    expect(text).toContain('NODE_OPTIONS')
    expect(text).not.toContain('LD_PRELOAD')
  })

  it('writes down the present value of a variable only by name', () => {
    const env = { DATA_ROOT: '/srv/data' }
    expect(prepareImport('', wishOf('claude-code', { env })).applied.text).not.toContain('/srv/data')
    const allowed = { ...NOTHING_ALLOWED, resolve: new Set(['DATA_ROOT']) }
    expect(prepareImport('', wishOf('claude-code', { env, allowed })).applied.text).toContain(
      '"/srv/data/in"',
    )
  })

  it('leaves a server to the user who has one of that name, however it is written', () => {
    for (const text of [
      '[mcp_servers.time]\ncommand = "mine"\n',
      'mcp_servers.time.command = "mine"\n',
      '[mcp_servers]\ntime = { command = "mine" }\n',
    ]) {
      const { plan, applied } = prepareImport(text, wishOf('hermes'))
      expect(plan.preserved.map(({ name }) => name)).toEqual(['time'])
      expect(parse(applied.text)).toMatchObject({ mcp_servers: { time: { command: 'mine' }, vault: {} } })
    }
  })

  it('takes names and values that are only there to hurt as what they are', () => {
    const odd = `"""\n[x]\n# <<< drawbridge\n'''`
    const env = { "a]b'": odd, 'esc\u001b[2J': '\u007f\u202e' }
    const entry = { command: 'c\n# >>> drawbridge', args: ['\ud800', `'''`], env }
    const text = JSON.stringify({ mcpServers: { constructor: entry, 'x\ny': { command: 'y' } } })
    const file = text.replace('{"constructor"', '{"__proto__":{"command":"p"},"constructor"')
    const servers = findSources(scratchMachine({ '.cursor/mcp.json': file })).flatMap(
      (source) => source.servers,
    )
    const wish = { from: new Set(['cursor']), ...NOTHING_WANTED }
    const { applied } = prepareImport('[t]\n', { ...wish, servers })
    const read = parse(applied.text).mcp_servers as Record<string, object>
    expect(Object.keys(read).sort()).toEqual(['__proto__', 'constructor', 'x-y'])
    expect(Object.entries(read).find(([name]) => name === 'constructor')?.[1]).toMatchObject({
      command: 'c\n# >>> drawbridge',
      env,
    })
    expect(prepareImport(applied.text, { ...wish, servers: [] }).applied.text).toBe('[t]\n')
  })

  it('takes the first of two with one name, and tells of the other', () => {
    const machine = scratchMachine({
      '.cursor/mcp.json': '{"mcpServers":{"a":{"command":"of-cursor"}}}',
      '.config/zed/settings.json': '{"context_servers":{"a":{"command":"of-zed"}}}',
    })
    for (const from of [
      ['cursor', 'zed'],
      ['zed', 'cursor'],
    ]) {
      const servers = findSources(machine, { from }).flatMap((source) => source.servers)
      const { plan } = prepareImport('', { servers, from: new Set(from), ...NOTHING_WANTED })
      expect(plan.imported.map(({ table }) => table.command)).toEqual([`of-${from[0]}`])
      expect(plan.doubled).toMatchObject([{ translation: { name: 'a' }, first: { application: from[0] } }])
    }
  })

  it('keeps what was imported from others, and drops what its own source no longer has', () => {
    const first = prepareImport('', wishOf('amp')).applied.text
    const both = prepareImport(first, wishOf('copilot')).applied.text
    expect(Object.keys(parse(both).mcp_servers as object)).toEqual(['gh', 'jira', 'semgrep', 'sourcegraph'])
    const fewer = wishOf('amp')
    const dropped = prepareImport(both, { ...fewer, servers: fewer.servers.slice(0, 1) }).applied.text
    expect(Object.keys(parse(dropped).mcp_servers as object)).toEqual(['gh', 'jira', 'semgrep'])
    expect(prepareImport(dropped, { ...fewer, servers: [] }).applied.text).toBe(
      prepareImport('', wishOf('copilot')).applied.text,
    )
  })

  it('keeps what it imported before from a file that is broken now, and from a project that is not read', () => {
    const servers = (name: string) => JSON.stringify({ mcpServers: { [name]: { command: name } } })
    const machine = scratchMachine({
      '.cursor/mcp.json': servers('mine'),
      'shop/.cursor/mcp.json': servers('shop'),
      'till/.cursor/mcp.json': servers('till'),
    })
    let text = ''
    const importOf = (folder: string | null) => {
      const project = folder === null ? null : `${machine.home}/${folder}`
      const sources = findSources(machine, { project, from: ['cursor'] })
      const from = originsRead(new Set(['cursor']), { sources, project })
      const found = sources.flatMap((source) => source.servers)
      text = prepareImport(text, { ...NOTHING_WANTED, servers: found, from, project }).applied.text
      return Object.keys((parse(text).mcp_servers as object) ?? {})
    }
    expect(importOf('shop')).toEqual(['mine', 'shop'])
    expect(importOf('till')).toEqual(['mine', 'shop', 'till'])
    writeFileSync(`${machine.home}/.cursor/mcp.json`, '{ "mcpServers": {,')
    expect(importOf(null)).toEqual(['mine', 'shop', 'till'])
    writeFileSync(`${machine.home}/shop/.cursor/mcp.json`, servers('other'))
    expect(importOf('shop')).toEqual(['mine', 'other', 'till'])
    writeFileSync(`${machine.home}/.cursor/mcp.json`, '{}')
    expect(importOf(null)).toEqual(['other', 'till'])
  })

  it('leaves integers above 2^53 as they are', () => {
    const text = 'big = 9007199254740993\n[mcp_servers.own]\ncommand = "c"\nbig = 9223372036854775807\n'
    const { applied } = prepareImport(text, wishOf('amp'))
    expect(applied.text).toContain('big = 9007199254740993\n')
    expect(prepareImport(applied.text, wishOf('amp', { servers: [] })).applied.text).toBe(text)
  })

  it.each([
    ['', 'workspace', ':workspace'],
    ['', ':read-only', ':read-only'],
    ['default_permissions = ":mine"\n', ':workspace', null],
    ['sandbox_mode = "read-only"\n', ':workspace', null],
    ['', null, null],
  ])('of %j sets the profile %s as %s', (text, permissions, written) => {
    const { applied } = prepareImport(text, wishOf('amp', { permissions }))
    expect(applied.contents.permissions).toBe(written)
    if (written !== null) expect(parse(applied.text).default_permissions).toBe(written)
  })

  it('turns plugins on as codex reports them, unless the user has an entry', () => {
    const plugins = new Map([
      ['b@m', true],
      ['a@m', false],
      ['mine@m', true],
    ])
    const { text } = prepareImport(
      '[plugins."mine@m"]\nenabled = false\n',
      wishOf('amp', { plugins }),
    ).applied
    expect(parse(text).plugins).toEqual({
      'b@m': { enabled: true },
      'a@m': { enabled: false },
      'mine@m': { enabled: false },
    })
    expect(text.indexOf('a@m')).toBeLessThan(text.indexOf('b@m'))
  })
})
