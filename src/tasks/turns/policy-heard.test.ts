import { describe, expect, it } from 'vitest'
import { heardSettings, ownRights, policyHeard, widened, widenedText } from './policy-heard.ts'

const FULL = { type: 'dangerFullAccess' }
const WRITE = { type: 'workspaceWrite', networkAccess: false }
const READ = { type: 'readOnly', networkAccess: false }

describe('what codex says of the rights of a thread', () => {
  it('is read from its notification and from the reply that opened the thread', () => {
    expect(heardSettings({ sandboxPolicy: WRITE, approvalPolicy: 'never' })).toMatchObject({ sandbox: WRITE })
    expect(heardSettings({ sandbox: READ, cwd: '/a' })).toMatchObject({ sandbox: READ, cwd: '/a' })
    expect(heardSettings(null)).toEqual({ sandbox: null })
  })

  it.each([
    [
      'nothing that is as asked',
      { sandbox: 'workspace-write' },
      { sandbox: WRITE, approvalPolicy: 'on-request' },
      [],
    ],
    [
      'nothing that is narrower',
      { sandbox: 'workspace-write' },
      { sandbox: READ, approvalPolicy: 'untrusted' },
      [],
    ],
    ['nothing that it does not say', {}, {}, []],
    ['a wider sandbox', { sandbox: 'read-only' }, { sandbox: WRITE }, ['sandbox']],
    ['a sandbox of another name', {}, { sandbox: { type: 'externalSandbox' } }, ['sandbox']],
    ['network', { sandbox: 'workspace-write' }, { sandbox: { ...WRITE, networkAccess: true } }, ['network']],
    [
      'no network where the task has it',
      { network: true },
      { sandbox: { ...READ, networkAccess: true } },
      [],
    ],
    [
      'that nobody is asked',
      { approvalPolicy: 'on-request' },
      { approvalPolicy: 'never' },
      ['approvalPolicy'],
    ],
    ['nothing where the task asks nobody', { approvalPolicy: 'never' }, { approvalPolicy: 'never' }, []],
    ['that a model answers', {}, { approvalsReviewer: 'auto_review' }, ['approvalsReviewer']],
    [
      'a profile that is not its own',
      { confined: true },
      { activePermissionProfile: { id: ':workspace' } },
      ['permissions'],
    ],
    [
      'no profile where it has its own',
      { confined: true },
      { activePermissionProfile: null },
      ['permissions'],
    ],
    [
      'nothing under its own profile, which can write where it was allowed to',
      { allow: [{ path: '/a', access: 'rw' }], network: { domains: ['a.org'] } },
      {
        sandbox: { ...WRITE, networkAccess: true },
        activePermissionProfile: { id: 'drawbridge-1-access-0123456789ab-ro-domains-2' },
      },
      [],
    ],
    ['all of them', {}, { sandbox: FULL, approvalPolicy: 'never' }, ['sandbox', 'approvalPolicy']],
  ] as const)('is wider with %s', (_, policy, heard, fields) => {
    expect(widened(policy, heard).map(({ field }) => field)).toEqual(fields)
  })

  it('is told in one sentence', () => {
    expect(widenedText(widened({ sandbox: 'read-only' }, { sandbox: FULL }))).toBe(
      "another client gave the thread other rights than the task has: sandbox dangerFullAccess, not readOnly. The next turn from here has the task's own again",
    )
  })

  it('replaces what was known, and only that', () => {
    const known = JSON.stringify({ model: 'one', sandbox: READ, trust: 'untrusted' })
    const heard = { model: 'two', sandbox: FULL, effort: null }
    expect(policyHeard(known, heard)).toEqual({ model: 'two', sandbox: FULL, trust: 'untrusted' })
    expect(policyHeard(null, { model: 'two' })).toEqual({ model: 'two' })
  })
})

describe('the rights that a turn from here sends again', () => {
  it('are those of the task, with its folder and people to ask', () => {
    const policy = { sandbox: 'workspace-write', approvalPolicy: 'untrusted', network: true } as const
    expect(ownRights(policy, { cwd: '/a' })).toEqual({
      ...policy,
      ...{ cwd: '/a', approvalsReviewer: 'user' },
    })
    expect(ownRights({}, { cwd: '/a' })).toEqual({
      cwd: '/a',
      approvalsReviewer: 'user',
      sandbox: 'read-only',
    })
  })

  it('name a profile in place of a sandbox, and nothing that newer versions refuse', () => {
    expect(ownRights({ permissions: 'mine', approvalPolicy: 'on-failure' }, { cwd: '/a' })).toEqual({
      ...{ cwd: '/a', approvalsReviewer: 'user', permissions: 'mine' },
    })
  })
})
