import { describe, expect, it } from 'vitest'
import { type AllowedPath, problemWithAccess, problemWithAllowed } from './access.ts'
import type { Protection } from './rights.ts'

const ro = (path: string): AllowedPath => ({ path, access: 'ro' })
const rw = (path: string): AllowedPath => ({ path, access: 'rw' })

describe('what a thread may touch', () => {
  it.each([
    [{ allow: [ro('/docs'), rw('/srv/app.v2/out put')] }],
    [{ network: { domains: ['a.org', '*.b-c.org', '127.0.0.1', 'localhost'] } }],
    [{ confined: true, sandbox: 'workspace-write', network: true }],
    [{ sandbox: 'danger-full-access', network: false, confined: false, allow: [] }],
    [{ allow: [ro('/repo/.git'), ro('/home/a/.codex'), rw('/home/a/.gitx'), rw('/home/a/.github')] }],
  ] as const)('can be %j', (policy) => {
    expect(problemWithAccess(policy)).toBeNull()
  })

  it.each([
    ['docs', 'not an absolute path'],
    ['', 'not an absolute path'],
    ['~/docs', 'not an absolute path'],
    ['/a/*', 'a pattern'],
    ['/a/[b]', 'a pattern'],
    ['/a/{b,c}', 'a pattern'],
    ['/a\n/b', 'control character'],
    ['/a\0', 'control character'],
    ['/a/../b', 'not a plain path'],
    ['/a/./b', 'not a plain path'],
    ['//a', 'not a plain path'],
    ['/a/', 'not a plain path'],
    ['/', 'not a plain path'],
    ['/proc', 'shows other processes'],
    ['/proc/1/root', 'shows other processes'],
    ['/sys/fs', 'shows other processes'],
    ['/dev/mem', 'shows other processes'],
  ])('cannot be the path %j', (path, why) => {
    expect(problemWithAccess({ allow: [ro('/fine'), ro(path)] })).toContain(why)
  })

  it.each(['/repo/.git', '/repo/.git/hooks', '/repo/.codex', '/home/a/.agents/skills'])(
    'cannot be written at %s, where others run what lies there',
    (path) => {
      expect(problemWithAccess({ allow: [rw(path)] })).toContain('run outside the sandbox')
    },
  )

  it.each([
    '',
    '*',
    'https://a.org',
    'a.org:443',
    'a_b.org',
    'A.org',
    '*.',
    'a..b',
    '-a.org',
    'a.org/x',
    'a b',
    '**.a.org',
  ])('cannot be the domain %j', (domain) => {
    expect(problemWithAccess({ network: { domains: ['fine.org', domain] } })).toContain('is not a domain')
  })

  it.each([
    [{ network: { domains: [] } }, 'no domain is named'],
    [{ network: { domains: Array(101).fill('a.org') } }, 'at most 100'],
    [{ allow: Array.from({ length: 51 }, (_, at) => ro(`/a${at}`)) }, 'at most 50'],
    [{ allow: [ro('/a'), rw('/a')] }, 'allowed twice'],
    [{ sandbox: 'danger-full-access', confined: true }, 'no sandbox'],
    [{ sandbox: 'danger-full-access', network: { domains: ['a.org'] } }, 'no sandbox'],
    [{ permissions: 'mine', allow: [ro('/a')] }, 'permission profile mine'],
  ] as const)('cannot contradict itself: %j', (policy, why) => {
    expect(problemWithAccess(policy)).toContain(why)
  })
})

describe('a path that is allowed on a machine', () => {
  const protection: Protection = {
    profile: 'p',
    paths: ['/data', '/home/a/.ssh'],
    tempFolders: ['/tmp'],
    dialect: 'modern',
  }
  const problem = (policy: Parameters<typeof problemWithAllowed>[0]) =>
    problemWithAllowed(policy, '/home/a/src', protection)

  it.each(['ro', 'rw'] as const)('is never a protected one (%s)', (access) => {
    for (const path of ['/data', '/data/x', '/home/a/.ssh/known_hosts'])
      expect(problem({ allow: [{ path, access }] })).toContain('is protected')
    for (const path of ['/database', '/home/a/.sshx', '/home/b'])
      expect(problem({ allow: [{ path, access }] })).toBeNull()
  })

  it('may hold a protected one to be read around it, and not to be written', () => {
    expect(problem({ allow: [ro('/home/a')] })).toBeNull()
    expect(problem({ allow: [rw('/home/a')] })).toContain('holds /home/a/.ssh')
    // Trust says what a repository may start, not that logins may be changed.
    expect(problem({ allow: [rw('/home/a')], trustedRoot: '/home/a/src' })).toContain('holds /home/a/.ssh')
  })

  it('is not called read-only where it could be renamed and written', () => {
    expect(problem({ sandbox: 'workspace-write', allow: [ro('/home/a/src/lib')] })).toContain('may write to')
    expect(problem({ sandbox: 'read-only', allow: [ro('/home/a/src/lib')] })).toBeNull()
    expect(problem({ allow: [rw('/srv'), ro('/srv/keep')] })).toContain('may write to')
    expect(problem({ allow: [rw('/srv/out'), ro('/srv')] })).toBeNull()
  })
})
