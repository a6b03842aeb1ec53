import { symlinkSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { scratchFolder, writeFiles } from './fixtures/scratch-project.ts'
import { DEFAULT_PROTECTED_PATHS, problemWithProtectedPath, protectedPaths } from './protected-paths.ts'

describe('protected paths', () => {
  it('by default are the well-known places of logins, each of them a valid entry', () => {
    expect(DEFAULT_PROTECTED_PATHS).toEqual(
      expect.arrayContaining(['~/.ssh', '~/.aws', '~/.netrc', '~/.config/gh', '$SSH_AUTH_SOCK']),
    )
    expect(DEFAULT_PROTECTED_PATHS.filter((each) => problemWithProtectedPath(each) !== null)).toEqual([])
    expect(new Set(DEFAULT_PROTECTED_PATHS).size).toBe(DEFAULT_PROTECTED_PATHS.length)
  })

  it('are absolute, from the home and the variables that are set, each once', () => {
    const home = scratchFolder()
    const env = { SOCK: '/x/agent.1', RELATIVE: 'a/b', EMPTY: '', MANY: '/x/one:/x/two' }
    const list = [
      '~/.ssh',
      '~/.ssh/',
      '~/./.ssh',
      '$SOCK',
      '$UNSET',
      '$RELATIVE',
      '$EMPTY',
      '$MANY',
      '/a/../b',
    ]
    expect(protectedPaths(list, { env, home })).toEqual([
      path.join(home, '.ssh'),
      '/x/agent.1',
      '/x/one',
      '/x/two',
      '/b',
    ])
    expect(protectedPaths(['$SOCK/inner', '$SOCK.pub'], { env, home })).toEqual([
      '/x/agent.1/inner',
      '/x/agent.1.pub',
    ])
  })

  it('have what a symlink leads to among them', () => {
    const home = scratchFolder()
    writeFiles(home, { 'dotfiles/netrc': 'x' })
    symlinkSync('dotfiles/netrc', path.join(home, '.netrc'))
    expect(protectedPaths(['~/.netrc'], { env: {}, home })).toEqual([
      path.join(home, '.netrc'),
      path.join(home, 'dotfiles/netrc'),
    ])
  })

  it.each(['/', '/tmp', '/home', '/home/me', '/home/me/', '/usr'])(
    'never are what every command needs, whatever a variable says: %s',
    (value) => {
      expect(
        protectedPaths(['$XDG_RUNTIME_DIR'], { env: { XDG_RUNTIME_DIR: value }, home: '/home/me' }),
      ).toEqual([])
    },
  )

  it.each(['', 'relative', './x', '~', '~/', '~other/x', '/', '//', '$', '$ X', '~/a\0b'])(
    'are refused in the settings when they cannot be meant: %j',
    (entry) => {
      expect(problemWithProtectedPath(entry)).toMatch(/^must be/)
    },
  )
})
