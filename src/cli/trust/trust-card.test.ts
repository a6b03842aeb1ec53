import { describe, expect, it } from 'vitest'
import type { FolderTrust, ProjectLayer, ProjectLook } from '../../config/index.ts'
import { shellLine, trustCardLines, whyNotTrustable } from './trust-card.ts'

const UNTRUSTED: FolderTrust = { state: 'untrusted', by: null, root: '/repo', hasChanged: false }

function lookWith(layer: Partial<ProjectLayer> | null): ProjectLook {
  const empty = { mcpServers: [], hooks: [], rules: [], agents: [], settings: [], problem: null }
  const layers = layer === null ? [] : [{ folder: '/repo/.codex', digest: 'd', ...empty, ...layer }]
  return { root: '/repo', top: '/repo', folder: '/repo/a', layers, digest: 'x' }
}

const server = { name: 's', command: null, args: [], url: null, envNames: [] }

describe('the card of a folder', () => {
  it('says which folder, how far trust reaches, and what it would start', () => {
    const look = lookWith({
      mcpServers: [
        { ...server, name: 'files', command: './run me', args: ['--all', "it's"], envNames: ['A', 'B'] },
        { ...server, name: 'far', url: 'https://x.example' },
        { ...server, name: 'odd' },
      ],
      hooks: [{ event: 'Stop', command: 'curl x | sh', file: 'hooks.json' }],
      rules: ['rules/a.rules'],
      agents: ['agents/b.toml'],
      settings: [{ key: 'model', value: '"x"' }],
    })
    expect(trustCardLines(look, UNTRUSTED)).toEqual([
      'Folder:   /repo/a',
      'Project:  /repo (trust counts for all of it)',
      'Trust:    untrusted',
      '',
      'Trust starts and applies what the project names:',
      '  /repo/.codex',
      '    MCP server files, runs outside the sandbox:',
      `      $ './run me' --all 'it'\\''s'`,
      '      with variables A, B',
      '    MCP server far, connects to:',
      '      https://x.example',
      '    MCP server odd, runs outside the sandbox:',
      '      $ (no command)',
      '    Hook on Stop (hooks.json), runs outside the sandbox:',
      '      $ curl x | sh',
      '    Rules for commands: rules/a.rules',
      '    Sub-agent: agents/b.toml',
      '    Setting: model = "x"',
      '',
      expect.stringMatching(/^Once trusted: .*network and every file/),
      expect.stringMatching(/^Either way: .*environment/),
    ])
  })

  it('says when the project names nothing', () => {
    const lines = trustCardLines(lookWith(null), UNTRUSTED)
    expect(lines).toContain(
      'The project names nothing of its own: no MCP servers, hooks, rules or Codex settings.',
    )
  })

  it.each([
    [{ ...UNTRUSTED, hasChanged: true }, /untrusted: what it would start has changed since you trusted it/],
    [{ ...UNTRUSTED, state: 'trusted', by: 'drawbridge' }, /trusted$/],
    [{ ...UNTRUSTED, state: 'trusted', by: 'codex' }, /by Codex's own config\.toml/],
  ] as const)('says how it stands: %j', (trust, says) => {
    expect(trustCardLines(lookWith(null), trust)[2]).toMatch(says)
  })

  it('spells out everything that could show other than it runs, on one line', () => {
    const evil = 'a\u202eb\u001b[2Jc\nSetting: harmless\td\u200be\rf'
    const look = lookWith({
      mcpServers: [{ ...server, name: evil, command: evil, args: [evil], url: evil, envNames: [evil] }],
      hooks: [{ event: evil, command: evil, file: evil }],
      rules: [evil],
      agents: [evil],
      settings: [{ key: evil, value: evil }],
      problem: evil,
    })
    const lines = trustCardLines(look, UNTRUSTED)
    const text = lines.join('')
    expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200b\u202e]/)
    expect(text).toContain('a\\u{202e}b\\u{1b}[2Jc\\u{a}Setting: harmless\\u{9}d\\u{200b}e\\u{d}f')
    expect(lines.filter((line) => line.startsWith('Setting: harmless'))).toEqual([])
  })

  it('cuts nothing, however much there is', () => {
    const huge = 'y'.repeat(300_000)
    const mcpServers = Array.from({ length: 5000 }, (_, index) => ({
      ...server,
      name: `s${index}`,
      command: huge,
    }))
    const lines = trustCardLines(lookWith({ mcpServers: mcpServers.slice(0, 2) }), UNTRUSTED)
    expect(lines.filter((line) => line.includes(huge))).toHaveLength(2)
    const short = mcpServers.map((each) => ({ ...each, command: 'c' }))
    expect(trustCardLines(lookWith({ mcpServers: short }), UNTRUSTED).length).toBeGreaterThan(10_000)
  })

  it('says why it cannot be trusted', () => {
    const look = lookWith({ problem: 'config.toml is not a regular file' })
    expect(whyNotTrustable(look)).toBe('/repo/.codex: config.toml is not a regular file')
    expect(trustCardLines(look, UNTRUSTED).join('\n')).toContain(
      'Cannot be shown whole, and so not be trusted: config.toml is not a regular file',
    )
    expect(whyNotTrustable(lookWith({}))).toBeNull()
  })
})

describe('a command line', () => {
  it('can be typed as it is shown', () => {
    expect(shellLine(['a', 'b c', '', '$x', "'", '-c'])).toBe(`a 'b c' '' '$x' ''\\''' -c`)
  })
})
