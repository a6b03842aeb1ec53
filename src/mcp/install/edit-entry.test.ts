import fc from 'fast-check'
import { parse as parseToml } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { CLIENT_APPS } from './client-apps.ts'
import { entryIn, withEntry } from './edit-entry.ts'

const SERVER = { command: '/usr/bin/node', args: ['/opt/it\'s "here"/main.cjs', 'mcp'] }
const JSON_SHAPE = { format: 'json', key: 'mcpServers' } as const
const TOML_SHAPE = { format: 'toml', key: 'mcp_servers' } as const

describe.each(Object.entries(CLIENT_APPS))('the file of %s', (_, app) => {
  it('gets an entry that is read back, changed and taken out', () => {
    const entry = app.entry(SERVER)
    const made = withEntry('', app, entry)
    expect(entryIn(made, app)).toEqual(entry)
    expect(withEntry(made, app, entry)).toBe(made)
    const other = app.entry({ ...SERVER, args: ['other'] })
    expect(entryIn(withEntry(made, app, other), app)).toEqual(other)
    expect(entryIn(withEntry(made, app, null), app)).toBeUndefined()
  })

  it.each(['linux', 'darwin', 'win32'] as const)('is in the home folder on %s', (platform) => {
    const file = app.file({ home: '/home/ada', platform, env: {} })
    expect(file.startsWith('/home/ada')).toBe(true)
  })
})

describe('JSON', () => {
  const messy =
    '\uFEFF{\r\n\t// a comment\r\n\t"other": [1, 2,],\r\n\t"mcpServers": {\r\n\t\t"mine": { "command": "x" } /* kept */\r\n\t}\r\n}\r\n'

  it('keeps comments, order, commas, line ends and the mark at its beginning', () => {
    const made = withEntry(messy, JSON_SHAPE, SERVER)
    expect(withEntry(made, JSON_SHAPE, null)).toBe(messy)
    expect(made.startsWith('\uFEFF{\r\n\t// a comment\r\n\t"other": [1, 2,],\r\n')).toBe(true)
    expect(made).toContain('"mine": { "command": "x" }')
    expect(made).toContain('/* kept */')
    expect(made.replaceAll('\r\n', '')).not.toContain('\n')
  })

  it('that is broken is left alone, with the place', () => {
    expect(() => withEntry('{\n  "a": \n}', JSON_SHAPE, SERVER)).toThrow(/line 3, column 1/)
    expect(() => withEntry('[]', JSON_SHAPE, SERVER)).toThrow('it is not an object')
    expect(() => withEntry('{"mcpServers": 7}', JSON_SHAPE, SERVER)).toThrow(
      'mcpServers in it is not an object',
    )
  })

  it('keeps comments beside an entry that is taken out', () => {
    const entry = '"drawbridge": { "command": "x" }'
    for (const [before, after] of [
      [`{"mcpServers": { /* a */ ${entry} }}`, '{"mcpServers": { /* a */  }}'],
      [`{"mcpServers": {"m": 1, // a\n ${entry}}}`, '{"mcpServers": {"m": 1 // a\n }}'],
      [`{"mcpServers": {${entry}, "m": 1}}`, '{"mcpServers": {"m": 1}}'],
      [`{"mcpServers": {"m": 1, ${entry},}}`, '{"mcpServers": {"m": 1,}}'],
    ])
      expect(withEntry(before!, JSON_SHAPE, null)).toBe(after)
  })

  it('has only what it says itself, not what a property named __proto__ holds', () => {
    const entry = { drawbridge: { command: 'x' } }
    for (const text of [
      `{"__proto__":${JSON.stringify({ mcpServers: entry })}}`,
      `{"mcpServers":{"__proto__":${JSON.stringify(entry)}}}`,
    ]) {
      expect(entryIn(text, JSON_SHAPE)).toBeUndefined()
      const made = withEntry(text, JSON_SHAPE, SERVER)
      expect(entryIn(made, JSON_SHAPE)).toEqual(SERVER)
      expect(withEntry(made, JSON_SHAPE, null)).toContain(text.slice(0, text.indexOf('}')))
    }
  })

  it('of any kind keeps all it had', () => {
    const value = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }))
    const indent = fc.constantFrom(0, 2, 4, '\t')
    fc.assert(
      fc.property(
        value,
        fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 })),
        indent,
        (others, servers, spaces) => {
          const { mcpServers: _, ...rest } = others
          const { drawbridge: __, ...kept } = servers
          const before = JSON.stringify({ ...rest, mcpServers: kept }, null, spaces)
          const after = JSON.parse(withEntry(before, JSON_SHAPE, SERVER))
          expect(after).toEqual({
            ...JSON.parse(before),
            mcpServers: { ...JSON.parse(before).mcpServers, drawbridge: SERVER },
          })
          expect(withEntry(withEntry(before, JSON_SHAPE, SERVER), JSON_SHAPE, null)).toBe(before)
        },
      ),
      { numRuns: 200 },
    )
  })
})

describe('TOML', () => {
  const messy = 'model = "x" # mine\r\n\r\n[mcp_servers.mine]\r\ncommand = "y"\r\n\r\n# the end\r\n'

  it('gets a table at its end, and is the same again when that is taken out', () => {
    const made = withEntry(messy, TOML_SHAPE, SERVER)
    expect(made.startsWith(messy)).toBe(true)
    expect(parseToml(made)).toEqual({
      model: 'x',
      mcp_servers: { mine: { command: 'y' }, drawbridge: SERVER },
    })
    expect(withEntry(made, TOML_SHAPE, null)).toBe(messy)
    const more = `${made}# of mine\r\n[profiles.a]\r\nmodel = "z"\r\n`
    expect(withEntry(more, TOML_SHAPE, null)).toBe(`${messy}# of mine\r\n[profiles.a]\r\nmodel = "z"\r\n`)
  })

  it('whose entry cannot be changed by itself, or that is broken, is left alone', () => {
    for (const text of [
      'mcp_servers = { drawbridge = { command = "x" } }\n',
      '[mcp_servers]\ndrawbridge = { command = "x" }\n',
      '[mcp_servers.drawbridge]\ncommand = "x"\n[mcp_servers.drawbridge.env]\nA = "b"\n',
    ])
      expect(() => withEntry(text, TOML_SHAPE, SERVER)).toThrow()
    expect(() => withEntry('a = \n', TOML_SHAPE, SERVER)).toThrow(/line 1/)
    expect(() =>
      withEntry('a = """\n[mcp_servers.drawbridge]\ncommand = 1\n"""\n', TOML_SHAPE, SERVER),
    ).toThrow()
  })
})
