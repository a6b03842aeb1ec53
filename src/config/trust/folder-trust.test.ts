import { symlinkSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { codexTrust, isForged } from './codex-trust.ts'
import { scratchFolder, scratchProject, writeFiles } from './fixtures/scratch-project.ts'
import { folderTrust } from './folder-trust.ts'
import { lookAtProject } from './project-contents.ts'
import { TrustedFolders } from './trusted-folders.ts'

function codexHomeWith(projects: Readonly<Record<string, string>>, rest = ''): string {
  const home = scratchFolder()
  const entries = Object.entries(projects).map(
    ([folder, level]) => `[projects.${JSON.stringify(folder)}]\ntrust_level = "${level}"\n`,
  )
  writeFiles(home, { 'config.toml': `${rest}\n${entries.join('')}` })
  return home
}

describe('codex’s own trust', () => {
  it('is null without a config, with one that cannot be parsed, and without an entry', () => {
    const folder = scratchProject()
    expect(codexTrust({ codexHome: scratchFolder(), folder })).toBeNull()
    expect(codexTrust({ codexHome: codexHomeWith({ [folder]: 'trusted' }, 'a = ['), folder })).toBeNull()
    expect(codexTrust({ codexHome: codexHomeWith({ '/elsewhere': 'trusted' }), folder })).toBeNull()
    expect(codexTrust({ codexHome: codexHomeWith({ [folder]: 'sometimes' }), folder })).toBeNull()
    expect(codexTrust({ codexHome: codexHomeWith({}, 'projects = 5'), folder })).toBeNull()
  })

  it('survives numbers that JavaScript cannot hold elsewhere in the config', () => {
    const folder = scratchProject()
    const codexHome = codexHomeWith({ [folder]: 'trusted' }, 'limit = 9223372036854775807')
    expect(codexTrust({ codexHome, folder })).toBe('trusted')
  })

  it('is that of the folder, else of its repository, nearest first', () => {
    const root = scratchProject({ 'a/b/x': '', 'c/x': '' })
    const codexHome = codexHomeWith({ [root]: 'trusted', [path.join(root, 'a')]: 'untrusted' })
    expect(codexTrust({ codexHome, folder: root })).toBe('trusted')
    expect(codexTrust({ codexHome, folder: path.join(root, 'c') })).toBe('trusted')
    expect(codexTrust({ codexHome, folder: path.join(root, 'a') })).toBe('untrusted')
    // codex looks at the folder and at the repository, not at what lies between.
    expect(codexTrust({ codexHome, folder: path.join(root, 'a/b') })).toBe('trusted')
  })

  it('is found by symlink, by real path, and by the main repository of a worktree', () => {
    const place = scratchFolder()
    writeFiles(place, {
      'repo/.git/HEAD': '',
      'repo/.git/worktrees/t/gitdir': path.join(place, 'tree/.git'),
      'tree/.git': `gitdir: ${place}/repo/.git/worktrees/t`,
      'hostile/.git': `gitdir: ${place}/repo/.git/worktrees/t`,
    })
    symlinkSync(path.join(place, 'repo'), path.join(place, 'link'))
    const codexHome = codexHomeWith({ [path.join(place, 'repo')]: 'trusted' })
    for (const name of ['repo', 'link', 'tree'])
      expect(codexTrust({ codexHome, folder: path.join(place, name) })).toBe('trusted')
    expect(codexTrust({ codexHome, folder: path.join(place, 'hostile') })).toBeNull()
    const byLink = codexHomeWith({ [path.join(place, 'link')]: 'trusted' })
    expect(codexTrust({ codexHome: byLink, folder: path.join(place, 'link') })).toBe('trusted')
  })
})

describe('a folder that says it is a worktree of a trusted repository', () => {
  it('is told from a real one: codex up to 0.142.5 believes it', () => {
    const place = scratchFolder()
    writeFiles(place, {
      'repo/.git/HEAD': '',
      'repo/.git/worktrees/t/gitdir': path.join(place, 'tree/.git'),
      'tree/.git': `gitdir: ${place}/repo/.git/worktrees/t`,
      'forged/.git': `gitdir: ${place}/repo/.git/worktrees/t`,
      'invented/a/.git': 'gitdir: ../../repo/.git/worktrees/none',
      'bare/.git': `gitdir: ${place}/x.git/worktrees/t`,
      'plain/x': '',
    })
    const trusting = codexHomeWith({ [path.join(place, 'repo')]: 'trusted', [place]: 'trusted' })
    const forged = (name: string, codexHome = trusting) =>
      isForged({ codexHome, folder: path.join(place, name) })
    expect(['forged', 'invented/a', 'bare'].map((name) => forged(name))).toEqual([true, true, true])
    expect(['repo', 'tree', 'plain'].map((name) => forged(name))).toEqual([false, false, false])
    expect(forged('forged', codexHomeWith({ [path.join(place, 'repo')]: 'untrusted' }))).toBe(false)
    expect(forged('forged', codexHomeWith({ [path.join(place, 'forged')]: 'trusted' }))).toBe(false)
  })
})

describe('trust in a folder', () => {
  const recordOf = () => new TrustedFolders(path.join(scratchFolder(), 'trusted-folders.json'))

  it('is ours, codex’s, or none', () => {
    const folder = scratchProject({ '.codex/config.toml': 'a = 1' })
    const trusted = recordOf()
    const codexHome = codexHomeWith({ [folder]: 'trusted' })
    const none = { folder, codexHome: scratchFolder(), trusted }
    expect(folderTrust(none)).toEqual({ state: 'untrusted', by: null, root: folder, hasChanged: false })
    expect(folderTrust({ ...none, codexHome })).toMatchObject({ state: 'trusted', by: 'codex' })
    trusted.trust(lookAtProject(folder), { by: 'cli', now: 1 })
    expect(folderTrust(none)).toMatchObject({ state: 'trusted', by: 'drawbridge', hasChanged: false })
    expect(folderTrust({ ...none, codexHome: codexHomeWith({ [folder]: 'untrusted' }) })).toMatchObject({
      state: 'trusted',
      by: 'drawbridge',
    })
  })

  it('is gone when what it would start has changed, unless codex has it on record', () => {
    const folder = scratchProject()
    const trusted = recordOf()
    const codexHome = scratchFolder()
    trusted.trust(lookAtProject(folder), { by: 'cli', now: 1 })
    writeFiles(folder, { '.codex/config.toml': 'a = 1' })
    expect(folderTrust({ folder, codexHome, trusted })).toEqual({
      state: 'untrusted',
      by: null,
      root: folder,
      hasChanged: true,
    })
    expect(folderTrust({ folder, codexHome: codexHomeWith({ [folder]: 'trusted' }), trusted })).toMatchObject(
      { state: 'trusted', by: 'codex', hasChanged: false },
    )
  })
})
