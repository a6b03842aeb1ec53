import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { APPLICATION_FILES } from '../fixtures/applications.ts'
import { scratchMachine } from '../fixtures/scratch-machine.ts'
import { APPLICATIONS, findSources, isSourceName, type Machine, sourcePlaces } from './index.ts'

const ALL = Object.fromEntries(Object.values(APPLICATION_FILES).map(({ path, text }) => [path, text]))

describe('sources', () => {
  it('are the thirteen applications, and each is found by its user file', () => {
    expect(APPLICATIONS.map(({ id }) => id).sort()).toEqual(Object.keys(APPLICATION_FILES).sort())
    const found = findSources(scratchMachine(ALL))
    expect(found.map(({ application }) => application)).toEqual(APPLICATIONS.map(({ id }) => id))
    expect(found.filter(({ problem }) => problem)).toEqual([])
  })

  it('are looked for where each system keeps them', () => {
    const places = (machine: Machine) =>
      sourcePlaces(machine, null).map(({ id, level, path }) => `${id} ${level} ${path}`)
    const env = {
      APPDATA: 'C:\\Users\\ada\\AppData\\Roaming',
      LOCALAPPDATA: 'C:\\Users\\ada\\AppData\\Local',
    }
    expect(places({ platform: 'darwin', env: {}, home: '/Users/ada' })).toMatchSnapshot('macOS')
    expect(places({ platform: 'win32', env, home: 'C:\\Users\\ada' })).toMatchSnapshot('Windows')
    expect(places({ platform: 'linux', env: {}, home: '/home/ada' })).toMatchSnapshot('Linux')
  })

  it('are looked for in a project, too, when one is named', () => {
    const found = sourcePlaces({ platform: 'linux', env: {}, home: '/home/ada' }, '/work/shop')
    expect(
      found.filter(({ level }) => level === 'project').map(({ id, path }) => `${id} ${path}`),
    ).toMatchSnapshot()
  })

  it('follow variables that move them', () => {
    const env = { CLAUDE_CONFIG_DIR: '/c', COPILOT_HOME: '/p', XDG_CONFIG_HOME: '/x', HERMES_HOME: '/h' }
    const paths = sourcePlaces({ platform: 'linux', env, home: '/home/ada' }, null).map(({ path }) => path)
    expect(paths).toEqual(
      expect.arrayContaining([
        '/c/.claude.json',
        '/p/mcp-config.json',
        '/x/zed/settings.json',
        '/x/Claude/claude_desktop_config.json',
        '/h/config.yaml',
      ]),
    )
  })

  const mcpJson = (...names: string[]) =>
    JSON.stringify({ mcpServers: Object.fromEntries(names.map((name) => [name, { command: name }])) })
  const enabled = (machine: Machine, from: string) =>
    findSources(machine, { project: `${machine.home}/shop`, from: [from] }).map(({ servers }) =>
      servers.filter(({ isEnabled }) => isEnabled).map(({ name }) => name),
    )

  it('know which servers of a project the person has said yes to, and which are switched off', () => {
    const machine = scratchMachine({
      'shop/.mcp.json': mcpJson('a', 'b', 'c', 'd'),
      '.claude.json': mcpJson('a', 'c'),
      '.claude/settings.json': JSON.stringify({ disabledMcpjsonServers: ['a'] }),
      'shop/.claude/settings.json': JSON.stringify({
        enabledMcpjsonServers: ['c'],
        enableAllProjectMcpServers: true,
      }),
      'shop/.claude/settings.local.json': JSON.stringify({ enabledMcpjsonServers: ['a', 'b'] }),
    })
    // Those of the user are not in `.mcp.json`, and need no yes.
    expect(enabled(machine, 'claude-code')).toEqual([['b'], ['a', 'c']])
  })

  it('know those switches where a variable moves them', () => {
    const files = {
      'shop/.mcp.json': mcpJson('a', 'b'),
      'moved/settings.json': JSON.stringify({
        enableAllProjectMcpServers: true,
        disabledMcpjsonServers: ['a'],
      }),
      '.claude/settings.json': JSON.stringify({ disabledMcpjsonServers: ['b'] }),
    }
    const machine = scratchMachine(files)
    const env = { CLAUDE_CONFIG_DIR: `${machine.home}/moved` }
    expect(enabled({ ...machine, env }, 'claude-code')).toEqual([['b']])
  })

  it('know what the person has switched off in a project, by the part that is theirs', () => {
    const machine = scratchMachine({ '.claude.json': '', 'shop/.mcp.json': mcpJson('a', 'b') })
    const ofProject = { enabledMcpjsonServers: ['a', 'b'], disabledMcpServers: ['b'] }
    writeFileSync(
      `${machine.home}/.claude.json`,
      JSON.stringify({ projects: { [`${machine.home}/shop`]: ofProject } }),
    )
    expect(enabled(machine, 'claude-code')).toEqual([['a']])
  })

  it('hold servers of a project to what Gemini CLI excludes for the user', () => {
    const machine = scratchMachine({
      'shop/.gemini/settings.json': mcpJson('a', 'b', 'c'),
      '.gemini/settings.json': JSON.stringify({ mcp: { excluded: ['a'], allowed: ['a', 'b'] } }),
    })
    expect(enabled(machine, 'gemini')).toEqual([['b']])
  })

  it('read a file that belongs to several applications once', () => {
    const machine = scratchMachine({ 'shop/.mcp.json': '{"mcpServers":{"a":{"command":"a"}}}' })
    const found = findSources(machine, { project: `${machine.home}/shop` })
    expect(found.map(({ application }) => application)).toEqual(['claude-code'])
  })

  it('read a profile of Hermes only by name', () => {
    const machine = scratchMachine({
      '.hermes/profiles/work/config.yaml': 'mcp_servers: { w: { command: w } }',
    })
    expect(findSources(machine)).toEqual([])
    expect(findSources(machine, { from: ['hermes/work'] })).toMatchObject([
      { profile: 'work', servers: [{ name: 'w' }] },
    ])
    expect(['hermes/work', 'zed'].every(isSourceName)).toBe(true)
    expect(['zed/work', 'emacs', ''].some(isSourceName)).toBe(false)
  })

  it.each([
    ['.cursor/mcp.json', '{\n  "mcpServers": {\n    "a": }\n}', 3, 10],
    ['.hermes/config.yaml', 'mcp_servers:\n  a: [1\n  b: 2\n', 3, 3],
  ])('leave a broken file alone, with line and column: %s', (path, text, line, column) => {
    const [source] = findSources(scratchMachine({ [path]: text }))
    expect(source).toMatchObject({ servers: [], problem: { line, column } })
  })

  it.each([
    ['a list', '{"mcpServers":[]}'],
    ['a text', '{"mcpServers":"x"}'],
  ])('are told when the servers are %s', (_, text) => {
    const [source] = findSources(scratchMachine({ '.cursor/mcp.json': text }))
    expect(source?.problem?.message).toBe('its MCP servers are not a table')
  })

  it('survive what is only there to hurt', () => {
    const deep = `{"mcpServers":${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}}`
    const proto = '{"mcpServers":{"__proto__":{"command":"p","env":{"__proto__":"x"}},"a":7}}'
    const bomb = `a: &a [x]\n${[...'bcdefghij'].map((name, at) => `${name}: &${name} [*${'abcdefghi'[at]},*${'abcdefghi'[at]},*${'abcdefghi'[at]},*${'abcdefghi'[at]}]`).join('\n')}\nmcp_servers: *j\n`
    const found = findSources(
      scratchMachine({
        '.cursor/mcp.json': deep,
        '.codeium/windsurf/mcp_config.json': proto,
        '.hermes/config.yaml': bomb,
      }),
    )
    const of = (id: string) => found.find(({ application }) => application === id)
    expect(of('cursor')?.problem?.message).toMatch(/too deep|cannot be read/)
    expect(of('windsurf')?.servers).toMatchObject([{ name: '__proto__' }, { name: 'a', transport: null }])
    expect(of('hermes')?.problem?.message).toBeTruthy()
    expect(({} as Record<string, unknown>).command).toBeUndefined()
  })
})
