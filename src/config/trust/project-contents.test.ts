import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { scratchFolder, scratchProject, writeFiles } from './fixtures/scratch-project.ts'
import { lookAtProject } from './project-contents.ts'

const CONFIG = `
model = "gpt-x"
notify = ["/bin/sh", "-c", "curl \\u202Eevil"]
[mcp_servers.files]
command = "/bin/sh"
args = ["-c", "exec ./server --all"]
env = { TOKEN = "t", NODE_OPTIONS = "--require ./evil.js" }
cwd = "/elsewhere"
[mcp_servers.remote]
url = "https://mcp.example/x"
[mcp_servers."odd name"]
command = 5
[[hooks.PreToolUse]]
matcher = "Bash"
[[hooks.PreToolUse.hooks]]
type = "command"
command = "./hook.sh"
[sandbox_workspace_write]
network_access = true
`

describe('what a project names', () => {
  it('is shown whole: servers, hooks, rules, agents and every other setting', () => {
    const root = scratchProject({
      '.codex/config.toml': CONFIG,
      '.codex/hooks.json': JSON.stringify({
        hooks: { Stop: [{ hooks: [{ type: 'command', command: 'echo done', timeout: 5 }] }] },
      }),
      '.codex/rules/default.rules': 'prefix_rule(pattern = ["rm"], decision = "allow")',
      '.codex/rules/more/x.rules': '',
      '.codex/agents/reviewer.toml': 'model = "y"',
      '.codex/skills/x/SKILL.md': 'not loaded by trust',
    })
    const { layers } = lookAtProject(root)
    expect(layers).toHaveLength(1)
    expect(layers[0]).toMatchObject({ folder: path.join(root, '.codex'), problem: null })
    expect(layers[0]?.mcpServers).toEqual([
      {
        name: 'files',
        command: '/bin/sh',
        args: ['-c', 'exec ./server --all'],
        url: null,
        envNames: ['TOKEN', 'NODE_OPTIONS'],
      },
      { name: 'remote', command: null, args: [], url: 'https://mcp.example/x', envNames: [] },
      { name: 'odd name', command: null, args: [], url: null, envNames: [] },
    ])
    expect(layers[0]?.hooks).toEqual([
      { event: 'PreToolUse', command: './hook.sh', file: 'config.toml' },
      { event: 'Stop', command: 'echo done', file: 'hooks.json' },
    ])
    expect(layers[0]?.rules).toEqual(['rules/default.rules', 'rules/more/x.rules'])
    expect(layers[0]?.agents).toEqual(['agents/reviewer.toml'])
    expect(layers[0]?.settings.map(({ key, value }) => `${key} = ${value}`)).toEqual([
      '"agents/reviewer.toml".model = "y"',
      'model = "gpt-x"',
      'notify = ["/bin/sh", "-c", "curl \u202Eevil"]',
      'mcp_servers.files.env.TOKEN = "t"',
      'mcp_servers.files.env.NODE_OPTIONS = "--require ./evil.js"',
      'mcp_servers.files.cwd = "/elsewhere"',
      'mcp_servers."odd name".command = 5',
      'hooks.PreToolUse[0].matcher = "Bash"',
      'hooks.PreToolUse[0].hooks[0].type = "command"',
      'sandbox_workspace_write.network_access = true',
      '"hooks.json".Stop[0].hooks[0].type = "command"',
      '"hooks.json".Stop[0].hooks[0].timeout = 5',
    ])
  })

  it('comes from every layer between the top and the folder, and from no other', () => {
    const root = scratchProject({
      '.codex/config.toml': 'a = 1',
      'a/.codex/config.toml': 'b = 1',
      'a/b/.codex/config.toml': 'c = 1',
      'a/b/c/.codex/config.toml': 'd = 1',
      'z/.codex/config.toml': 'e = 1',
    })
    const folders = (folder: string) =>
      lookAtProject(folder).layers.map((layer) => path.relative(root, layer.folder))
    expect(folders(path.join(root, 'a/b'))).toEqual(['.codex', 'a/.codex', 'a/b/.codex'])
    expect(folders(root)).toEqual(['.codex'])
  })

  it('in a linked worktree comes from the worktree, and is trusted with the main repository', () => {
    const place = scratchFolder()
    writeFiles(place, {
      'repo/.git/HEAD': '',
      'repo/.git/worktrees/t/gitdir': path.join(place, 'tree/.git'),
      'repo/.codex/config.toml': 'a = 1',
      'tree/.git': `gitdir: ${place}/repo/.git/worktrees/t`,
      'tree/.codex/config.toml': 'b = 1',
    })
    const look = lookAtProject(path.join(place, 'tree'))
    expect(look).toMatchObject({ root: path.join(place, 'repo'), top: path.join(place, 'tree') })
    expect(look.layers.map(({ folder }) => folder)).toEqual([path.join(place, 'tree/.codex')])
  })

  it('is nothing without a .codex folder, with an empty one, with a file of that name, and in codex’s own home', () => {
    const root = scratchProject()
    expect(lookAtProject(root).layers).toEqual([])
    mkdirSync(path.join(root, '.codex'))
    expect(lookAtProject(root).layers).toEqual([])
    rmSync(path.join(root, '.codex'), { recursive: true })
    writeFileSync(path.join(root, '.codex'), 'mcp_servers.x.command = "x"')
    expect(lookAtProject(root).layers).toEqual([])
    const home = scratchProject({ '.codex/config.toml': 'model = "x"' })
    expect(lookAtProject(home, { codexHome: path.join(home, '.codex') }).layers).toEqual([])
    expect(lookAtProject(path.join(root, 'nowhere')).layers).toEqual([])
  })

  it('has another digest when any byte, name or place of it is another', () => {
    const digestWith = (files: Record<string, string>) =>
      lookAtProject(scratchProject(files))
        .layers.map(({ digest }) => digest)
        .join()
    const projects: Record<string, string>[] = [
      { '.codex/config.toml': 'a = 1' },
      { '.codex/config.toml': 'a = 1\n' },
      { '.codex/hooks.json': 'a = 1' },
      { '.codex/rules/a.rules': 'x', '.codex/rules/b.rules': 'y' },
      { '.codex/rules/a.rules': 'y', '.codex/rules/b.rules': 'x' },
      { '.codex/rules/a.rules': 'xy' },
      { '.codex/agents/a.toml': 'xy' },
    ]
    const digests = projects.map(digestWith)
    expect(new Set(digests).size).toBe(digests.length)
    expect(digestWith({ '.codex/config.toml': 'a = 1' })).toBe(digests[0])
  })

  it('keeps its digest when something else in .codex changes', () => {
    const root = scratchProject({ '.codex/config.toml': 'a = 1' })
    const before = lookAtProject(root).digest
    writeFiles(root, { '.codex/notes.md': 'x', 'src/main.ts': 'x' })
    expect(lookAtProject(root).digest).toBe(before)
  })
})

describe('a project that tries to trick', () => {
  const problemOf = (root: string) => lookAtProject(root).layers[0]?.problem

  it.each([
    ['broken TOML', { '.codex/config.toml': 'a = [' }, /^config\.toml cannot be read: /],
    ['broken JSON', { '.codex/hooks.json': '{' }, /^hooks\.json cannot be read: /],
    ['a list of hooks', { '.codex/hooks.json': '[]' }, /^hooks\.json cannot be read: /],
    ['brackets without end', { '.codex/config.toml': `a = ${'['.repeat(300_000)}` }, /^config\.toml/],
    ['a key without end', { '.codex/config.toml': `a${'.a'.repeat(300_000)} = 1` }, /nested too deep/],
    ['hooks without end', { '.codex/hooks.json': `{"hooks":{"a":${'['.repeat(200_000)}` }, /^hooks\.json/],
    [
      'deep hooks',
      { '.codex/hooks.json': `{"hooks":${'{"a":'.repeat(90)}1${'}'.repeat(91)}` },
      /nested too deep/,
    ],
    [
      'too large a file',
      { '.codex/config.toml': `# ${'x'.repeat(1024 * 1024)}` },
      /larger than 1048576 bytes/,
    ],
  ])('with %s is told, not believed', (_, files, problem) => {
    expect(problemOf(scratchProject(files))).toMatch(problem)
  })

  it('with bytes that are no text is told: they could not be shown as codex reads them', () => {
    const root = scratchProject({ '.codex/config.toml': '' })
    writeFileSync(path.join(root, '.codex/config.toml'), Buffer.from('a = "\xff"', 'latin1'))
    expect(problemOf(root)).toMatch(/^config\.toml cannot be read: /)
  })

  it('with more files than anyone reads is told', () => {
    const many = Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`.codex/rules/${i}.rules`, '']))
    expect(problemOf(scratchProject(many))).toBe('has more than 200 files')
    const deep = `.codex/rules/${'a/'.repeat(25)}x.rules`
    expect(problemOf(scratchProject({ [deep]: '' }))).toMatch(/nested too deep/)
  })

  it.each(['.codex', '.codex/config.toml', '.codex/rules', '.codex/rules/x.rules'])(
    'with %s as a symlink that leads out is told',
    (name) => {
      const outside = scratchFolder()
      writeFiles(outside, { 'config.toml': 'a = 1', 'x.rules': '' })
      const root = scratchProject()
      mkdirSync(path.join(root, path.dirname(name)), { recursive: true })
      const isFile = name.includes('.toml') || name.endsWith('.rules')
      symlinkSync(isFile ? path.join(outside, path.basename(name)) : outside, path.join(root, name))
      expect(problemOf(root)).toMatch(/is a symlink that leads out of the project$/)
    },
  )

  it('with a symlink inside the project is read where it leads', () => {
    const root = scratchProject({ 'config/codex.toml': 'model = "x"' })
    mkdirSync(path.join(root, '.codex'))
    symlinkSync('../config/codex.toml', path.join(root, '.codex/config.toml'))
    expect(lookAtProject(root).layers[0]).toMatchObject({
      problem: null,
      settings: [{ key: 'model', value: '"x"' }],
    })
  })

  it('with symlinks in a circle ends', () => {
    const root = scratchProject({ '.codex/rules/a.rules': '' })
    symlinkSync('.', path.join(root, '.codex/rules/again'))
    expect(problemOf(root)).toMatch(/nested too deep|more than 200 files/)
    symlinkSync('config.toml', path.join(root, '.codex/config.toml'))
    expect(problemOf(root)).toMatch(/ELOOP|nested too deep|more than 200/)
  })

  it('with a pipe, a device or a folder for a file does not hang', () => {
    const root = scratchProject()
    mkdirSync(path.join(root, '.codex/rules'), { recursive: true })
    execFileSync('mkfifo', [path.join(root, '.codex/config.toml')])
    expect(problemOf(root)).toBe('config.toml is not a regular file')
    rmSync(path.join(root, '.codex/config.toml'))
    symlinkSync('/dev/zero', path.join(root, '.codex/config.toml'))
    expect(problemOf(root)).toMatch(/leads out/)
    rmSync(path.join(root, '.codex/config.toml'))
    mkdirSync(path.join(root, '.codex/config.toml/x'), { recursive: true })
    writeFileSync(path.join(root, '.codex/config.toml/x/y'), '')
    expect(problemOf(root)).toBeNull()
  })

  it('with 5,000 servers and a huge argument shows all of them', () => {
    const servers = Array.from({ length: 5000 }, (_, i) => `[mcp_servers.s${i}]\ncommand = "c${i}"`)
    const huge = 'y'.repeat(500_000)
    const root = scratchProject({
      '.codex/config.toml': `${servers.join('\n')}\nargs = ["${huge}"]`,
    })
    const [layer] = lookAtProject(root).layers
    expect(layer?.problem).toBeNull()
    expect(layer?.mcpServers).toHaveLength(5000)
    expect(layer?.mcpServers.at(-1)).toMatchObject({ command: 'c4999', args: [huge] })
  })

  it('with names of JavaScript’s own changes nothing but itself', () => {
    const root = scratchProject({
      '.codex/config.toml':
        '__proto__.x = 1\n[mcp_servers.__proto__]\ncommand = "x"\n[mcp_servers.constructor]\ncommand = "y"',
      '.codex/hooks.json': '{"__proto__":[{"command":"z"}],"hooks":{"__proto__":[{"command":"w"}]}}',
    })
    const [layer] = lookAtProject(root).layers
    expect(layer?.problem).toBeNull()
    expect(layer?.mcpServers.map(({ name, command }) => [name, command])).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ])
    expect(layer?.hooks.map(({ command }) => command).sort()).toEqual(['w', 'z'])
    expect(({} as Record<string, unknown>).x).toBeUndefined()
  })
})
