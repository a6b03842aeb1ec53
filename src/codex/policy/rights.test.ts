import { describe, expect, it } from 'vitest'
import {
  escalationOf,
  openingRights,
  type Protection,
  problemWithFolder,
  rightsOfTurn,
  turnRights,
  UnsafeFolderError,
  UntrustedFolderError,
} from './rights.ts'
import { weakness } from './weakness.ts'

const modern: Protection = {
  profile: 'drawbridge-1',
  paths: ['/home/a/.codex/auth.json', '/home/a/.config/gh', '/home/a/.ssh'],
  tempFolders: ['/tmp'],
  dialect: 'modern',
}
const legacy: Protection = { ...modern, dialect: 'legacy' }
const under = (protection: Protection | null, isExperimental = true) => ({
  protection,
  isExperimental,
})
const at = (protection: Protection | null, version = '0.166.0') => ({ ...under(protection), version })
const writable = { type: 'workspaceWrite', writableRoots: [], networkAccess: false } as const

describe('opening a thread', () => {
  it('never asks for a writable sandbox in an untrusted folder', () => {
    const policy = { sandbox: 'workspace-write' } as const
    expect(openingRights(policy, at(null))).toEqual({ sandbox: 'read-only' })
    const config = { default_permissions: 'drawbridge-1-ro' }
    expect(openingRights(policy, at(modern))).toEqual({ config })
    expect(openingRights({ permissions: 'mine' }, at(legacy))).toEqual({ config })
  })

  it('asks for what was wanted in a trusted one, and tells codex of the trust for this thread only', () => {
    const policy = { sandbox: 'workspace-write', trustedRoot: '/x/a.b' } as const
    expect(openingRights(policy, at(modern))).toEqual({
      sandbox: 'workspace-write',
      config: { projects: { '/x/a.b': { trust_level: 'trusted' } } },
    })
  })
})

describe('a folder whose .git claims to be of a trusted repository', () => {
  it('is told to versions that believe it, and to no others', () => {
    const policy = { distrusted: '/evil' }
    const projects = { '/evil': { trust_level: 'untrusted' } }
    expect(openingRights(policy, at(null, '0.142.5'))).toEqual({ sandbox: 'read-only', config: { projects } })
    expect(openingRights(policy, at(legacy, '0.125.0')).config).toMatchObject({ projects })
    expect(openingRights(policy, at(modern)).config).toEqual({ default_permissions: 'drawbridge-1-ro' })
  })
})

describe('a turn', () => {
  it.each([
    ['read-only', undefined, 'ro'],
    ['workspace-write', undefined, 'rw'],
    ['read-only', true, 'ro-net'],
    ['workspace-write', true, 'rw-net'],
  ] as const)('in %s, network %s, runs under the profile %s', (sandbox, network, suffix) => {
    const rights = turnRights({ sandbox, ...(network && { network }) }, under(modern))
    expect(rights?.params).toEqual({ permissions: `drawbridge-1-${suffix}` })
    expect(rights?.sandbox).toMatchObject({ networkAccess: network ?? false })
  })

  it('brings a sandbox where profiles cannot be named: they keep their denies', () => {
    const policy = { sandbox: 'workspace-write' } as const
    expect(turnRights(policy, under(legacy))?.params).toMatchObject({ sandboxPolicy: writable })
    expect(turnRights(policy, under(modern, false))?.params).toMatchObject({ sandboxPolicy: writable })
    expect(turnRights(policy, under(null))?.params).toMatchObject({ sandboxPolicy: writable })
  })

  it('has no network where nothing keeps it from our own token', () => {
    const policy = { sandbox: 'workspace-write', network: true } as const
    expect(turnRights(policy, under(null))?.sandbox).toMatchObject({ networkAccess: false })
    expect(turnRights(policy, under(legacy))?.sandbox).toMatchObject({ networkAccess: true })
  })

  it('brings nothing in a trusted folder, unless asked to', () => {
    const policy = { sandbox: 'workspace-write', trustedRoot: '/x' } as const
    expect(turnRights(policy, under(modern))).toBeNull()
    expect(turnRights({ ...policy, network: true }, under(modern))?.params).toMatchObject({
      sandboxPolicy: { ...writable, networkAccess: true },
    })
    expect(rightsOfTurn(policy, { sandbox: 'read-only', folder: '/x' }, under(modern)).params).toEqual({
      sandboxPolicy: { type: 'readOnly', networkAccess: false },
    })
  })

  it('leaves the rights to a caller who names them, in a trusted folder', () => {
    const named = { sandboxPolicy: { type: 'dangerFullAccess' }, folder: '/x' } as const
    const trusted = { trustedRoot: '/x' }
    expect(rightsOfTurn(trusted, named, under(modern))).toEqual({ params: {}, sandbox: named.sandboxPolicy })
    expect(turnRights({ permissions: 'mine' }, under(modern))?.params).toEqual({ permissions: 'mine' })
  })

  it.each([
    ['full access', { sandbox: 'danger-full-access' }, {}],
    ['full access for a turn', {}, { sandboxPolicy: { type: 'dangerFullAccess' } }],
    ['a profile that is not ours', { permissions: ':danger-full-access' }, {}],
    ['such a profile for a turn', {}, { permissions: 'mine' }],
  ] as const)('has not %s without trust', (_, policy, named) => {
    const turn = () => rightsOfTurn(policy, { ...named, folder: '/x' } as never, under(modern))
    expect(turn).toThrow(UntrustedFolderError)
  })

  it('has no network without trust where nothing protects logins', () => {
    expect(() => rightsOfTurn({ network: true }, { folder: '/x' }, under(null))).toThrow(UntrustedFolderError)
    expect(rightsOfTurn({ network: true }, { folder: '/x' }, under(modern)).sandbox).toMatchObject({
      networkAccess: true,
    })
  })

  it('loses network again in a trusted folder when that is taken back', () => {
    const policy = { sandbox: 'workspace-write', trustedRoot: '/x', network: false } as const
    expect(turnRights(policy, under(modern))?.sandbox).toMatchObject({ networkAccess: false })
  })

  it('is given nothing to write with where that would lay logins open', () => {
    const turn = () => rightsOfTurn({ sandbox: 'workspace-write' }, { folder: '/home/a' }, under(modern))
    expect(turn).toThrow(UnsafeFolderError)
  })
})

describe('an approved command', () => {
  it('reaches what version and trust let it', () => {
    const all = { network: true, protectedFiles: true }
    const none = { network: false, protectedFiles: false }
    expect(escalationOf({}, under(modern))).toEqual(none)
    expect(escalationOf({ network: true }, under(modern))).toEqual({ network: true, protectedFiles: false })
    expect(escalationOf({}, under(legacy))).toEqual(all)
    expect(escalationOf({}, under(null))).toEqual(all)
    expect(escalationOf({ trustedRoot: '/x' }, under(modern))).toEqual(all)
    const confined = { trustedRoot: '/x', confined: true, network: { domains: ['a.org'] } }
    expect(escalationOf(confined, under(modern))).toEqual({ ...none, isConfined: true })
  })
})

describe('the reply of codex', () => {
  const readOnly = { type: 'readOnly', networkAccess: false } as const
  const ours = { sandbox: readOnly, activePermissionProfile: { id: 'drawbridge-1-ro' } }
  const fresh = { ...under(modern), isFresh: true }

  it('is taken when our profile is in force', () => {
    expect(weakness({}, ours, fresh)).toBeNull()
    expect(weakness({}, { ...ours, activePermissionProfile: { id: 'drawbridge-1-rw' } }, fresh)).toBeNull()
  })

  it.each([
    ['no profile', { sandbox: readOnly, activePermissionProfile: null }, 'no permission profile'],
    ['another profile', { sandbox: readOnly, activePermissionProfile: { id: ':workspace' } }, ':workspace'],
    [
      'one of other paths',
      { sandbox: readOnly, activePermissionProfile: { id: 'drawbridge-2-ro' } },
      'drawbridge-2',
    ],
    ['a writable sandbox', { ...ours, sandbox: writable as never }, 'workspaceWrite'],
    ['full access', { ...ours, sandbox: { type: 'dangerFullAccess' } as const }, 'dangerFullAccess'],
  ])('is weaker with %s', (_, reply, named) => {
    expect(weakness({}, reply, fresh)).toContain(named)
  })

  it('lists every denied path up to 0.130', () => {
    const entries = legacy.paths.map((place) => ({ access: 'none', path: { path: place } }))
    const check = (listed: typeof entries) => {
      const reply = { sandbox: readOnly, permissionProfile: { fileSystem: { entries: listed } } }
      return weakness({}, reply, { ...under(legacy), isFresh: true })
    }
    expect(check(entries)).toBeNull()
    expect(check(entries.slice(1))).toContain('auth.json')
    expect(check(entries.map((entry) => ({ ...entry, access: 'read' })))).toContain('auth.json')
  })

  it('may keep on a resume what an earlier turn was given, but not full access that nobody wants', () => {
    const resumed = { ...under(null), isFresh: false }
    const full = { sandbox: { type: 'dangerFullAccess' } } as const
    expect(weakness({ sandbox: 'workspace-write' }, { sandbox: writable as never }, resumed)).toBeNull()
    expect(weakness({ sandbox: 'workspace-write' }, full, resumed)).toContain('dangerFullAccess')
    expect(weakness({ sandbox: 'danger-full-access' }, full, resumed)).toBeNull()
  })

  it('is not looked at in a trusted folder', () => {
    expect(weakness({ trustedRoot: '/x' }, { sandbox: writable as never }, fresh)).toBeNull()
  })
})

describe('a folder', () => {
  const policy = { sandbox: 'workspace-write' } as const

  it('must not hold logins that could be renamed out of a deny', () => {
    expect(problemWithFolder(policy, '/home/a', modern)).toContain('/home/a/.codex/auth.json')
    expect(problemWithFolder(policy, '/home/a/.codex', modern)).toBeNull() // a denied file itself cannot be renamed
    expect(problemWithFolder(policy, '/home/a/src', modern)).toBeNull()
    expect(problemWithFolder({ sandbox: 'read-only' }, '/home/a', modern)).toBeNull()
    expect(problemWithFolder({ ...policy, trustedRoot: '/home/a' }, '/home/a', modern)).toBeNull()
  })

  it('must not be used while something protected lies deep in a temp folder', () => {
    const deep = { ...modern, paths: ['/tmp/x/kube'] }
    expect(problemWithFolder(policy, '/srv', deep)).toContain('/tmp/x/kube')
    expect(problemWithFolder(policy, '/srv', { ...modern, paths: ['/tmp/x'] })).toBeNull()
    expect(problemWithFolder({}, '/srv', deep)).toBeNull()
  })

  it('must not be one that commands cannot read', () => {
    expect(problemWithFolder({}, '/home/a/.ssh/keys', modern)).toContain('/home/a/.ssh')
    expect(problemWithFolder({}, '/home/a/.sshx', modern)).toBeNull()
  })
})
