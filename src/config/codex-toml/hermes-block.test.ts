import { parse } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { applyImport, ownServers } from './apply-import.ts'
import { withoutHermesBlock } from './hermes-block.ts'

const START = '# managed by hermes-agent — `hermes codex-runtime migrate` regenerates this section'
const END = '# end hermes-agent managed section'
const SECTION = `[mcp_servers.hermes-tools]\ncommand = "python"\n\n[mcp_servers.old]\ncommand = "old"\n`

describe("Hermes' section", () => {
  it('is taken out between its markers, with one blank line left', () => {
    const text = `model = "m"\n\n${START}\n${SECTION}${END}\n\n[t]\na = 1\n`
    expect(withoutHermesBlock(text)).toEqual({ text: 'model = "m"\n\n[t]\na = 1\n', section: SECTION })
  })

  it('without an end goes on to the first table that Hermes does not write', () => {
    const others = '[permissions.mine]\nnetwork = true\n[tui]\nx = [\n  [1],\n]\n'
    expect(withoutHermesBlock(`${START}\n${SECTION}${others}`)).toEqual({ text: others, section: SECTION })
  })

  it('whose start is gone loses its end line alone', () => {
    const text = `a = 1\n${SECTION}${END}\n[t]\n`
    expect(withoutHermesBlock(text)).toEqual({ text: `a = 1\n${SECTION}[t]\n`, section: null })
  })

  it('stays where no marker is', () => {
    expect(withoutHermesBlock(SECTION)).toEqual({ text: SECTION, section: null })
  })

  it('is replaced by ours when Hermes is imported, and what only it has stays', () => {
    const text = `model = "m"\r\n${START}\r\n${SECTION.replaceAll('\n', '\r\n')}${END}\r\n[t]\r\na = 1\r\n`
    const change = {
      from: new Set(['hermes']),
      permissions: null,
      servers: new Map([['old', { from: 'hermes', table: { command: 'new' } }]]),
      plugins: new Map(),
      hasPlugins: false,
    }
    const { text: once } = applyImport(text, change)
    expect(once).not.toContain('hermes-agent')
    expect(parse(once)).toEqual({
      model: 'm',
      mcp_servers: { 'hermes-tools': { command: 'python' }, old: { command: 'new' } },
      t: { a: 1 },
    })
    expect(applyImport(once, change).text).toBe(once)
  })

  it.each([
    ['an end', `${END}\n`],
    ['none', ''],
  ])('with %s loses only its servers: what else is in there stays', (_, end) => {
    const others = `[permissions.mine]\nnetwork = true\n\n[plugins."a@b"]\nenabled = true\nmore = 1\n`
    const project = end === '' ? '' : '[projects."/x"]\ntrust_level = "trusted"\n'
    const text = `model = "m"\n${START}\ndefault_permissions = ":workspace"\n${SECTION}\n${others}${project}${end}[t]\na = 1\n`
    const change = {
      from: new Set(['hermes']),
      permissions: ':read-only',
      servers: new Map(),
      plugins: new Map([['a@b', false]]),
      hasPlugins: true,
    }
    const { text: once } = applyImport(text, change)
    expect(parse(once)).toEqual(parse(text))
    expect(once).toContain(others)
    expect(applyImport(once, change).text).toBe(once)
  })

  it('is the user’s own when others are imported', () => {
    const text = `${START}\n${SECTION}${END}\n`
    expect(ownServers(text, new Set(['cursor']))).toEqual(new Set(['hermes-tools', 'old']))
    expect(ownServers(text, new Set(['hermes']))).toEqual(new Set())
  })
})
