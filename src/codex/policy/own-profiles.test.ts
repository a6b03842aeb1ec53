// From what people choose to the profiles codex is told of.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AllowedPath, NetworkAccess } from './access.ts'
import { accessPartOf, isForAccess, ownProfiles, refuseUnkeptAccess } from './own-profiles.ts'
import type { ThreadPolicy } from './policy.ts'
import { openingRights, type Protection, rightsOfTurn, turnRights } from './rights.ts'
import { weakness } from './weakness.ts'

const modern: Protection = {
  profile: 'drawbridge-1',
  paths: ['/data', '/home/a/.ssh'],
  tempFolders: ['/tmp'],
  dialect: 'modern',
  codexFolders: ['/opt/codex'],
}
const context = { protection: modern, isExperimental: true, version: '0.166.0' }

interface Profile {
  readonly extends?: string
  readonly filesystem: Readonly<Record<string, unknown>>
  readonly network: { readonly enabled: boolean; readonly domains?: Readonly<Record<string, string>> }
}

/** All that a thread is opened with, and the profile its turns run under. */
function told(policy: ThreadPolicy) {
  const config = openingRights(policy, context).config as Readonly<Record<string, unknown>>
  const profileOf = (id: unknown) => config[`permissions.${id}`] as Profile | undefined
  const turn = turnRights(policy, context)!.params
  return {
    config,
    opening: profileOf(config.default_permissions)!,
    turn: profileOf(turn.permissions)!,
    params: turn,
  }
}

const path = fc.stringMatching(/^(\/[a-z][a-z0-9 .-]{0,6}[a-z0-9]){1,3}$/)
const choices = fc
  .record({
    sandbox: fc.constantFrom('read-only', 'workspace-write'),
    confined: fc.boolean(),
    paths: fc.uniqueArray(path, { maxLength: 4 }),
    access: fc.array(fc.constantFrom('ro', 'rw'), { minLength: 4, maxLength: 4 }),
    network: fc.constantFrom<NetworkAccess>(false, true, { domains: ['a.org', '*.b.org'] }),
    trustedRoot: fc.option(fc.constant('/x'), { nil: undefined }),
  })
  .map(({ paths, access, trustedRoot, ...rest }) => ({
    ...rest,
    allow: paths.map((each, at): AllowedPath => ({ path: each, access: access[at] as 'ro' | 'rw' })),
    ...(trustedRoot !== undefined && { trustedRoot }),
  }))
  .filter(({ confined, allow, network }) => confined || allow.length > 0 || typeof network === 'object')

describe('any choice', () => {
  it('opens a thread under a profile that writes nowhere and has no network, and never names a sandbox', () => {
    fc.assert(
      fc.property(choices, (policy) => {
        const opened = openingRights(policy as ThreadPolicy, context)
        const { opening } = told(policy as ThreadPolicy)
        expect(Object.keys(opened)).toEqual(['config'])
        expect(JSON.stringify(opening)).not.toContain('"write"')
        expect(opening.network).toEqual({ enabled: false })
      }),
    )
  })

  it('gives a turn exactly what was named', () => {
    fc.assert(
      fc.property(choices, (policy) => {
        const { turn, params, config } = told(policy as ThreadPolicy)
        expect(params).toEqual({ permissions: expect.stringContaining('-access-') })
        for (const { path: named, access } of policy.allow)
          expect(turn.filesystem[named]).toBe(access === 'rw' ? 'write' : 'read')
        const own = [':minimal', ':workspace_roots', ...modern.codexFolders!, ...modern.paths]
        const named = Object.keys(turn.filesystem).filter((name) => !own.includes(name))
        expect(named.sort()).toEqual(policy.allow.map((each) => each.path).sort())
        const isWritable = policy.sandbox === 'workspace-write'
        if (policy.confined) {
          expect(turn.extends).toBeUndefined()
          expect(turn.filesystem[':workspace_roots']).toEqual({ '.': isWritable ? 'write' : 'read' })
          expect(turn.filesystem[':root']).toBeUndefined()
        } else expect(turn.extends).toBe(isWritable ? ':workspace' : ':read-only')
        const { domains } = Object(policy.network) as { domains?: readonly string[] }
        expect(turn.network).toEqual({
          enabled: policy.network !== false,
          ...(domains && { domains: Object.fromEntries(domains.map((domain) => [domain, 'allow'])) }),
        })
        // Without the proxy codex takes a list of domains for all of the network.
        expect(config['features.network_proxy']).toBe(domains ? true : undefined)
      }),
    )
  })

  it('keeps logins from commands, unless the folder is trusted and not confined', () => {
    fc.assert(
      fc.property(choices, (policy) => {
        const { turn, opening } = told(policy as ThreadPolicy)
        const isHeld = policy.trustedRoot === undefined || policy.confined
        for (const place of modern.paths)
          for (const profile of [turn, opening])
            expect(profile.filesystem[place]).toBe(isHeld ? 'deny' : undefined)
      }),
    )
  })

  it('has a name of its own, whatever a turn changes, that another choice has not', () => {
    fc.assert(
      fc.property(choices, choices, (one, other) => {
        const idOf = (policy: object) => told(policy as ThreadPolicy).params.permissions!
        const wide = turnRights({ ...one, network: true } as ThreadPolicy, context)!.params
        const base = accessPartOf(idOf(one))
        if (wide.permissions?.includes('-access-')) expect(accessPartOf(wide.permissions)).toBe(base)
        expect(isForAccess(idOf(one), one as ThreadPolicy)).toBe(true)
        const isSame =
          JSON.stringify([one.confined, sorted(one.allow)]) ===
          JSON.stringify([other.confined, sorted(other.allow)])
        if (!isSame) expect(isForAccess(idOf(one), other as ThreadPolicy)).toBe(false)
      }),
    )
  })
})

const sorted = (allow: readonly AllowedPath[]) => allow.map((each) => `${each.access}${each.path}`).sort()

describe('a thread', () => {
  const confined: ThreadPolicy = { sandbox: 'workspace-write', confined: true }

  it('has a folder for temporary files where no other is to be seen', () => {
    expect(told(confined).config['shell_environment_policy.set.TMPDIR']).toBe('/dev/shm')
    expect(told({ allow: [{ path: '/a', access: 'ro' }] }).config).not.toHaveProperty(
      'shell_environment_policy.set.TMPDIR',
    )
  })

  it('in a trusted folder is still held to it, and codex told of the trust', () => {
    const { config } = told({ ...confined, trustedRoot: '/x/a.b' })
    expect(config).toMatchObject({ projects: { '/x/a.b': { trust_level: 'trusted' } } })
    expect(config.default_permissions).toMatch(/-access-[0-9a-f]{12}-open$/)
  })

  it('keeps the profiles it was opened with where codex had it loaded', () => {
    const opened = 'drawbridge-0-access-0123456789ab'
    expect(turnRights(confined, { ...context, opened })?.params).toEqual({ permissions: `${opened}-rw` })
  })

  it('adds the folders of git to its writable profiles only', () => {
    const gitFolders = { write: ['/repo/.git/objects'], keep: ['/repo/.git/objects/info'] }
    const profiles = ownProfiles({ ...confined, gitFolders }, context) as unknown as Record<string, Profile>
    for (const [name, { filesystem }] of Object.entries(profiles).filter(([each]) =>
      each.startsWith('permissions'),
    ))
      expect(filesystem['/repo/.git/objects']).toBe(/-rw(-|$)/.test(name) ? 'write' : undefined)
  })

  it('is not given other rights for a turn', () => {
    const turn = (named: object) => () => rightsOfTurn(confined, { ...named, folder: '/x' } as never, context)
    expect(turn({ sandboxPolicy: { type: 'workspaceWrite' } })).toThrow('not `sandboxPolicy`')
    expect(turn({ permissions: ':read-only' })).toThrow('not `sandboxPolicy`')
    const trusted = { ...confined, trustedRoot: '/x', sandbox: 'danger-full-access' } as const
    expect(() => rightsOfTurn(trusted, { folder: '/x', sandbox: 'danger-full-access' }, context)).toThrow(
      'no sandbox',
    )
  })

  it.each([
    ['no profiles', { protection: null, version: '0.150.1' }, 'use codex 0.161 or newer'],
    [
      'the older dialect',
      { protection: { ...modern, dialect: 'legacy' }, version: '0.130.0' },
      'use codex 0.161 or newer',
    ],
    ['a client that cannot name them', { isExperimental: false }, 'experimental: true'],
    [
      'a process that is not known to run confined',
      { protection: { ...modern, codexFolders: undefined } },
      'cannot be confined',
    ],
  ] as const)('is refused with %s', (_, other, why) => {
    const refuse = (policy: ThreadPolicy) => () =>
      refuseUnkeptAccess(policy, { ...context, isElsewhere: false, ...other } as never)
    expect(refuse(confined)).toThrow(why)
    expect(refuse({ sandbox: 'workspace-write', network: true, allow: [], confined: false })).not.toThrow()
  })

  it('on another host is not confined, nor limited to domains', () => {
    const refuse = (policy: ThreadPolicy) => () => refuseUnkeptAccess(policy, { ...there, isElsewhere: true })
    const { codexFolders: _, ...bare } = modern
    const there = { ...context, protection: bare }
    expect(refuse(confined)).toThrow('cannot be confined')
    expect(refuse({ network: { domains: ['a.org'] } })).toThrow('cannot be limited to domains')
    expect(refuse({ allow: [{ path: '/srv', access: 'rw' }] })).not.toThrow()
  })

  it('is not used when codex says that something else is in force', () => {
    const id = told(confined).config.default_permissions as string
    const reply = (profile: string | null, type = 'readOnly') =>
      weakness(
        confined,
        {
          sandbox: { type, networkAccess: false } as never,
          activePermissionProfile: profile === null ? null : { id: profile },
        },
        { ...context, isFresh: true },
      )
    expect(reply(id)).toBeNull()
    expect(reply(id.replace(/-open$/, '-rw'))).toBeNull()
    expect(reply('drawbridge-1-ro')).toContain('instead of one for what it may touch')
    expect(reply(id.replace(/access-..../, 'access-0000'))).toContain('instead of')
    expect(reply(null)).toContain('no permission profile')
    expect(reply(id, 'workspaceWrite')).toContain('workspaceWrite')
    expect(
      weakness(
        { ...confined, trustedRoot: '/x' },
        { activePermissionProfile: { id: ':workspace' } },
        { ...context, isFresh: true },
      ),
    ).toContain(':workspace')
  })
})
