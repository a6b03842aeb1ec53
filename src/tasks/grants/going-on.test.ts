import { describe, expect, it } from 'vitest'
import type { Right, Task, TaskService } from '../model/index.ts'
import { CALLER, CI, codeOf, serviceOf } from './fixtures/bound-service.ts'

describe('going on with a task', () => {
  const send = (service: TaskService, overrides?: object) =>
    codeOf(service.send('t', { input: 'x', mode: 'queue', overrides } as never, CALLER))

  it.each<Partial<Task>>([
    { policy: { sandbox: 'workspace-write' } },
    { policy: { network: true } },
    { policy: { permissions: ':custom' } },
    { policy: { approvalsReviewer: 'auto_review' } },
    { preset: 'read-only' },
    { host: 'build' },
  ])('that somebody has made %j is refused', async (wider) => {
    const service = serviceOf({ id: 't', createdBy: CI, ...wider }).as()
    expect(await send(service)).toBe('not-permitted')
    expect(await codeOf(service.resume('t', {}, CALLER))).toBe('not-permitted')
    expect(await codeOf(service.fork('t', {}, CALLER))).toBe('not-permitted')
    expect(await codeOf(service.interrupt('t', CALLER))).toBe('done')
  })

  it.each<[Partial<Task>, string]>([
    [{}, 'done'],
    [{ labels: ['sprint-12'] }, 'done'],
    [{ labels: ['deploy'] }, 'not-permitted'],
    [{ rules: ['allow command rm'] }, 'not-permitted'],
    [{ tools: ['deploy'] }, 'not-permitted'],
    [{ tools: ['drawbridge_deliver', 'drawbridge_report'] }, 'done'],
    [{ tools: ['drawbridge_deliver', 'drawbridge_tasks'] }, 'not-permitted'],
    [{ codexHome: '/elsewhere' }, 'not-permitted'],
    [{ codexPath: '/elsewhere' }, 'not-permitted'],
    [{ account: 'team' }, 'not-permitted'],
    [{ policy: { config: {} } }, 'not-permitted'],
  ])('of another, with %j: %s', async (more, code) => {
    expect(await send(serviceOf({ id: 't', ...more }).as({ tasks: 'all' }))).toBe(code)
    // What the owner gave to a task of this token's is the owner's decision.
    expect(await send(serviceOf({ id: 't', createdBy: CI, ...more }).as())).toBe('done')
  })

  it.each<[Partial<Task>, string]>([
    [{ host: 'wide', cwd: '/srv' }, 'done'],
    [{ host: 'wide', cwd: '/srv', codexHome: 'ssh:wide' }, 'done'],
    // By its name only, which may be a link there.
    [{ host: 'build', cwd: '/srv/app' }, 'not-permitted'],
    [{ host: 'build', cwd: '/srv' }, 'not-permitted'],
    [{ host: 'other', cwd: '/srv/app' }, 'not-permitted'],
    [{ account: 'pool:team', codexHome: '/data/accounts/1/home' }, 'done'],
    [{ account: 'work', codexHome: '/data/accounts/1/home' }, 'not-permitted'],
  ])('of another, with %j, by a token for hosts and accounts: %s', async (more, code) => {
    const ceiling = { hosts: ['build:/srv/app', 'wide'], accounts: ['pool:team'] }
    expect(await send(serviceOf({ id: 't', ...more }).as({ tasks: 'all', ceiling }))).toBe(code)
  })

  it('of its own on a host, in the folders it was given there, is looked at there', async () => {
    const own = { id: 't', createdBy: CI, host: 'build', cwd: '/srv/app' }
    expect(await send(serviceOf(own).as({ ceiling: { hosts: ['build:/srv/app'] } }))).toBe('done')
  })

  it('is what an answer to a deliverable or a message does, with the ceiling of the token', async () => {
    const codes = async (more: Partial<Task>, may: Right[] = ['read', 'start']) => {
      const service = serviceOf({ id: 't', createdBy: CI, ...more }).as({ may })
      return Promise.all(
        [
          service.deliverables('t'),
          service.deliverableContent('t', 1),
          service.answerDeliverable('t', 1, { verdict: 'sent-back', words: 'x' }, CALLER),
          service.answerCallerMessage('t', 'm', { value: 1 }, CALLER),
        ].map(codeOf),
      )
    }
    expect(await codes({})).toEqual(['done', 'done', 'done', 'done'])
    expect(await codes({ policy: { sandbox: 'workspace-write' } })).toEqual([
      ...['done', 'done'],
      ...['not-permitted', 'not-permitted'],
    ])
    expect(await codes({}, ['read', 'answer', 'answer-own'])).toEqual([
      ...['done', 'done'],
      ...['not-permitted', 'not-permitted'],
    ])
    // The turn that runs was begun in a terminal, with more rights than the task has.
    const heard = { turnId: 'turn', effectivePolicy: { sandbox: { type: 'dangerFullAccess' } } }
    expect((await codes(heard)).slice(2)).toEqual(['not-permitted', 'not-permitted'])
    const foreign = serviceOf({ id: 't' }).as()
    expect(await codeOf(foreign.deliverableContent('t', 1))).toBe('task-not-found')
    const calls = serviceOf({ id: 't', createdBy: CI })
    await calls.as().answerDeliverable('t', 1, { verdict: 'accepted' }, CALLER)
    expect(calls.calls.at(-1)).toMatchObject([
      'answerDeliverable',
      't',
      1,
      {},
      { grant: { tokenId: 'ci-id' } },
    ])
  })

  it('of another that may commit by itself is refused', async () => {
    const task = { id: 't', workspace: { kind: 'worktree', commitsTo: 'refs/heads/drawbridge/one' } } as never
    expect(await send(serviceOf(task).as({ tasks: 'all' }))).toBe('not-permitted')
  })

  // A fork has a workspace of its own, of the same kind.
  it.each<[kind: string, folders: string[] | null, fork: string]>([
    ['worktree', null, 'done'],
    ['scratch', null, 'done'],
    ['clone', null, 'not-permitted'],
    ['worktree', ['/repo'], 'not-permitted'],
    ['folder', ['/repo'], 'done'],
  ])('in a %s is forked by a token for the folders %j: %s', async (kind, folders, fork) => {
    const workspace = { kind, commitsTo: null } as never
    const service = serviceOf({ id: 't', createdBy: CI, workspace }).as({ ceiling: { folders } })
    expect(await codeOf(service.fork('t', {}, CALLER))).toBe(fork)
  })

  it('steers the turn that was looked at, and no other', async () => {
    const { as, calls } = serviceOf({ id: 't', createdBy: CI, turnId: 'turn' })
    await as().send('t', { input: 'x', mode: 'steer' }, CALLER)
    expect(calls).toEqual([['send', 't', { input: 'x', mode: 'steer', turnId: 'turn' }, expect.anything()]])
  })

  it('raises nothing by overrides or changes', async () => {
    const { as } = serviceOf({ id: 't', createdBy: CI })
    expect(await send(as(), { model: 'm', sandbox: 'read-only', preset: 'ask-all' })).toBe('done')
    for (const wider of [{ sandbox: 'workspace-write' }, { preset: 'workspace' }, { cwd: '/' }])
      expect(await send(as(), wider)).toBe('not-permitted')
    const change = (fields: object) => codeOf(as().change('t', fields, CALLER))
    expect(await change({ title: 't', archived: true, network: false, labels: ['ci:x'] })).toBe('done')
    for (const wider of [
      { preset: 'trusted' },
      { network: true },
      { rules: [] },
      { notify: [] },
      { labels: ['x'] },
    ])
      expect(await change(wider)).toBe('not-permitted')
    const foreign = serviceOf({ id: 't' }).as({ tasks: 'all' })
    expect(await codeOf(foreign.change('t', { title: 'x' }, CALLER))).toBe('not-permitted')
  })

  it('does not combine overrides and policy to run without a sandbox and without questions', async () => {
    const ceiling = { sandbox: 'danger-full-access' } as const
    const both = { sandbox: 'danger-full-access', approvalPolicy: 'never' }
    expect(await send(serviceOf({ id: 't', createdBy: CI }).as({ ceiling }), both)).toBe('not-permitted')
    const policy = { sandbox: 'read-only', approvalPolicy: 'never' } as const
    const quiet = serviceOf({ id: 't', createdBy: CI, policy }).as({ ceiling })
    expect(await send(quiet, { sandbox: 'danger-full-access' })).toBe('not-permitted')
    expect(await send(quiet)).toBe('done')
  })

  it.each<[object | null, string]>([
    [null, 'done'],
    [{ sandbox: { type: 'readOnly', networkAccess: false }, approvalPolicy: 'never', cwd: '/repo' }, 'done'],
    [{ sandbox: { type: 'readOnly', networkAccess: true } }, 'not-permitted'],
    [{ sandbox: { type: 'workspaceWrite' } }, 'not-permitted'],
    [{ sandbox: { type: 'dangerFullAccess' } }, 'not-permitted'],
    [{ sandbox: { type: 'unheardOf' } }, 'not-permitted'],
    [{ approvalsReviewer: 'auto_review' }, 'not-permitted'],
    [{ cwd: '/elsewhere' }, 'not-permitted'],
  ])('with a turn under %j is steered: %s', async (effectivePolicy, code) => {
    const ceiling = { folders: ['/repo'] }
    const service = serviceOf({ id: 't', createdBy: CI, effectivePolicy } as never).as({ ceiling })
    expect(await codeOf(service.send('t', { input: 'x', mode: 'steer' }, CALLER))).toBe(code)
    // The next turn from here has the task's own rights again.
    expect(await send(service)).toBe('done')
  })

  it('gets files only where it could send a message', async () => {
    const upload = (service: TaskService) => codeOf(service.placeToUpload('t'))
    const add = (service: TaskService) => codeOf(service.addUploads('t', [], CALLER))
    for (const act of [upload, add]) {
      expect(await act(serviceOf({ id: 't', createdBy: CI }).as())).toBe('done')
      const wider = serviceOf({ id: 't', createdBy: CI, policy: { sandbox: 'workspace-write' } })
      expect(await act(wider.as())).toBe('not-permitted')
      expect(await act(serviceOf({ id: 't', createdBy: CI }).as({ ceiling: { folders: ['/x'] } }))).toBe(
        'not-permitted',
      )
      expect(await act(serviceOf({ id: 't' }).as())).toBe('task-not-found')
    }
  })

  it('takes back only files of its own', async () => {
    const { as } = serviceOf({ id: 't', createdBy: CI })
    expect(await codeOf(as().removeUpload('t', 'own', CALLER))).toBe('done')
    expect(await codeOf(as().removeUpload('t', 'theirs', CALLER))).toBe('not-permitted')
  })

  it('shows its own files and those of tasks below, in its folders', async () => {
    const family = [
      { id: 't', createdBy: CI },
      { id: 'below', parent: 't' },
      { id: 'foreign' },
      { id: 'there', createdBy: CI, host: 'build' },
    ]
    const service = serviceOf(...family)
    const read = (id: string, grant: Parameters<typeof service.as>[0]) => service.as(grant).placeToRead(id)
    expect(await read('below', {})).toMatchObject({ task: { id: 'below' }, within: null })
    expect(await read('t', { ceiling: { folders: ['/repo'] } })).toMatchObject({ within: ['/repo'] })
    expect(await codeOf(read('foreign', { tasks: 'all' }))).toBe('not-permitted')
    expect(await codeOf(read('foreign', {}))).toBe('task-not-found')
    expect(await codeOf(read('t', { ceiling: { folders: ['/other'] } }))).toBe('not-permitted')
    expect(await codeOf(read('there', {}))).toBe('not-permitted')
  })

  it('takes back only messages of its own', async () => {
    const { as } = serviceOf({ id: 't', createdBy: CI })
    expect(await codeOf(as().cancelMessage('t', 'of-owner', CALLER))).toBe('not-permitted')
    expect(await codeOf(as().cancelMessage('t', 'other', CALLER))).toBe('done')
  })
})
