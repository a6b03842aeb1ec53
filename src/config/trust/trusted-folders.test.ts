import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { scratchFolder, scratchProject, writeFiles } from './fixtures/scratch-project.ts'
import { lookAtProject } from './project-contents.ts'
import { TrustedFolders } from './trusted-folders.ts'

const NOW = { by: 'cli', now: 1000 }

function record(): { file: string; trusted: TrustedFolders } {
  const file = path.join(scratchFolder(), 'data', 'trusted-folders.json')
  return { file, trusted: new TrustedFolders(file) }
}

describe('trusted folders', () => {
  it('are none without a file, and none is made by looking', () => {
    const { file, trusted } = record()
    expect(trusted.list()).toEqual([])
    expect(trusted.standing(lookAtProject(scratchProject()))).toBe('untrusted')
    expect(existsSync(path.dirname(file))).toBe(false)
  })

  it('are kept in a file that only its owner can read, until they are revoked', () => {
    const { file, trusted } = record()
    const root = scratchProject({ '.codex/config.toml': 'a = 1' })
    const look = lookAtProject(root)
    trusted.trust(look, NOW)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(new TrustedFolders(file).list()).toEqual([
      { root, layers: [{ folder: '.codex', digest: look.layers[0]?.digest }], trustedAt: 1000, by: 'cli' },
    ])
    expect(trusted.standing(look)).toBe('trusted')
    expect(trusted.revoke(root)).toBe(true)
    expect(trusted.revoke(root)).toBe(false)
    expect(trusted.standing(look)).toBe('untrusted')
    expect(readdirSync(path.dirname(file))).toEqual(['trusted-folders.json'])
  })

  it('are revoked by a symlink to them too', () => {
    const { trusted } = record()
    const root = scratchProject()
    trusted.trust(lookAtProject(root), NOW)
    const link = path.join(scratchFolder(), 'link')
    symlinkSync(root, link)
    expect(trusted.revoke(link)).toBe(true)
  })

  it('count for sub-folders, as long as those name nothing new', () => {
    const { trusted } = record()
    const root = scratchProject({
      '.codex/config.toml': 'a = 1',
      'a/b/x': '',
      'c/.codex/config.toml': 'b = 1',
    })
    trusted.trust(lookAtProject(root), NOW)
    expect(trusted.standing(lookAtProject(path.join(root, 'a/b')))).toBe('trusted')
    expect(trusted.standing(lookAtProject(path.join(root, 'c')))).toBe('changed')
    trusted.trust(lookAtProject(path.join(root, 'c')), NOW)
    expect(trusted.standing(lookAtProject(path.join(root, 'c')))).toBe('trusted')
    expect(trusted.standing(lookAtProject(root))).toBe('trusted')
    expect(trusted.list()).toHaveLength(1)
  })

  it.each([
    ['config.toml changes', { '.codex/config.toml': 'a = 2' }],
    ['hooks.json comes', { '.codex/hooks.json': '{}' }],
    ['a rule comes', { '.codex/rules/x.rules': '' }],
    ['config.toml can no longer be read', { '.codex/config.toml': '[' }],
  ])('are changed once %s, until they are trusted again', (_, files) => {
    const { trusted } = record()
    const root = scratchProject({ '.codex/config.toml': 'a = 1' })
    const first = lookAtProject(root)
    trusted.trust(first, NOW)
    writeFiles(root, files)
    expect(trusted.standing(lookAtProject(root))).toBe('changed')
    writeFiles(root, { '.codex/config.toml': 'a = 3' })
    trusted.trust(lookAtProject(root), NOW)
    expect(trusted.standing(lookAtProject(root))).toBe('trusted')
    // As it was shown the first time: another branch, say.
    expect(trusted.standing(first)).toBe('trusted')
  })

  it('are changed when a folder that named nothing names something', () => {
    const { trusted } = record()
    const root = scratchProject()
    trusted.trust(lookAtProject(root), NOW)
    expect(trusted.standing(lookAtProject(root))).toBe('trusted')
    writeFiles(root, { '.codex/config.toml': 'a = 1' })
    expect(trusted.standing(lookAtProject(root))).toBe('changed')
  })

  it('count for a linked worktree that names the same', () => {
    const { trusted } = record()
    const place = scratchFolder()
    const config = { 'repo/.codex/config.toml': 'a = 1', 'tree/.codex/config.toml': 'a = 1' }
    writeFiles(place, {
      ...config,
      'repo/.git/HEAD': '',
      'repo/.git/worktrees/t/gitdir': path.join(place, 'tree/.git'),
      'tree/.git': `gitdir: ${place}/repo/.git/worktrees/t`,
    })
    trusted.trust(lookAtProject(path.join(place, 'repo')), NOW)
    expect(trusted.standing(lookAtProject(path.join(place, 'tree')))).toBe('trusted')
    writeFiles(place, { 'tree/.codex/config.toml': 'a = 2' })
    expect(trusted.standing(lookAtProject(path.join(place, 'tree')))).toBe('changed')
  })

  it('never hold what could not be shown whole', () => {
    const { trusted } = record()
    const root = scratchProject({ '.codex/config.toml': '[' })
    expect(() => trusted.trust(lookAtProject(root), NOW)).toThrow(
      expect.objectContaining({
        code: 'trust-unreadable',
        message: expect.stringMatching(/cannot be trusted/),
      }),
    )
    expect(trusted.list()).toEqual([])
  })
})

describe('the file of trusted folders', () => {
  it.each(['', '{', '[]', '{"folders":[{"root":1}]}', '{"folders":{}}'])(
    'is never guessed at when it is damaged: %j',
    (text) => {
      const { file, trusted } = record()
      writeFiles(path.dirname(file), { [path.basename(file)]: text })
      const damaged = expect.objectContaining({ code: 'trust-damaged' })
      expect(() => trusted.list()).toThrow(damaged)
      expect(() => trusted.trust(lookAtProject(scratchProject()), NOW)).toThrow(damaged)
      expect(readFileSync(file, 'utf8')).toBe(text)
    },
  )

  it.each(['elsewhere', 'nowhere'])('is refused as a symlink to %s', (target) => {
    const { file, trusted } = record()
    writeFiles(path.dirname(file), { elsewhere: '{"folders":[]}' })
    symlinkSync(target, file)
    expect(() => trusted.list()).toThrow(/is a symlink/)
    expect(() => trusted.trust(lookAtProject(scratchProject()), NOW)).toThrow(/is a symlink/)
    expect(() => trusted.revoke('/x')).toThrow(/is a symlink/)
  })

  it('is not written while another process changes it, and is once that process is dead', () => {
    const { file, trusted } = record()
    writeFiles(path.dirname(file), { [`${path.basename(file)}.lock`]: JSON.stringify({ pid: process.pid }) })
    const look = lookAtProject(scratchProject())
    expect(() => trusted.trust(look, NOW)).toThrow(
      expect.objectContaining({ code: 'trust-busy', retryable: true }),
    )
    writeFileSync(`${file}.lock`, JSON.stringify({ pid: 2 ** 22 + 5 }))
    trusted.trust(look, NOW)
    expect(trusted.standing(look)).toBe('trusted')
    expect(readdirSync(path.dirname(file))).toEqual(['trusted-folders.json'])
  })

  it('loses nothing when several processes write at once', { timeout: 60_000 }, async () => {
    const { file, trusted } = record()
    const place = scratchFolder()
    const names = ['a', 'b', 'c', 'd']
    const code = (name: string) => `
      import { lookAtProject, TrustedFolders } from ${JSON.stringify(new URL('./index.ts', import.meta.url))}
      const trusted = new TrustedFolders(${JSON.stringify(file)})
      for (let i = 0; i < 15; i++)
        trusted.trust(lookAtProject(${JSON.stringify(place)} + '/${name}' + i), { by: '${name}', now: i })`
    await Promise.all(
      names.map(async (name) => {
        const child = spawn(process.execPath, ['--input-type=module', '-e', code(name)], { stdio: 'inherit' })
        expect(await once(child, 'exit')).toEqual([0, null])
      }),
    )
    expect(trusted.list()).toHaveLength(60)
    rmSync(place, { recursive: true })
  })
})
