import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Grant, RIGHTS, type Right, type StartTask, type TaskService } from '../model/index.ts'
import { CALLER, CI, codeOf, OTHER, request, serviceOf } from './fixtures/bound-service.ts'
import { NEEDS } from './needs.ts'

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

describe('each method', () => {
  const isAsync = (name: string) => !['follow', 'followAll', 'appServers'].includes(name)
  const call = async (service: TaskService, name: string): Promise<unknown> =>
    (service[name as keyof TaskService] as (...given: unknown[]) => unknown)('mine', {}, CALLER)

  it.each(Object.entries(NEEDS))('%s is refused without %j, and says what it needs', async (name, needs) => {
    for (const right of RIGHTS) {
      const service = serviceOf({ id: 'mine', createdBy: CI }).as({ may: [right] })
      const refusal = await call(service, name).catch((error: unknown) => error)
      if ((needs as readonly Right[]).includes(right)) {
        expect(refusal).not.toMatchObject({ details: { needs: right } })
        continue
      }
      expect(refusal).toMatchObject({ code: 'not-permitted', details: { needs: needs[0] ?? 'owner' } })
    }
  })

  it.each(Object.keys(NEEDS).filter(isAsync))('%s rejects, and does not throw', (name) => {
    const service = serviceOf().as({ may: [] })
    const refused = (service[name as keyof TaskService] as () => Promise<unknown>)()
    return expect(refused).rejects.toMatchObject({ code: 'not-permitted' })
  })
})

describe('what a token sees', () => {
  const family = [
    { id: 'mine', createdBy: CI },
    { id: 'child', createdBy: OTHER, parent: 'mine' },
    { id: 'grandchild', parent: 'child' },
    { id: 'theirs', createdBy: OTHER },
    { id: 'owners' },
    { id: 'orphan', createdBy: OTHER, parent: 'deleted' },
  ]

  it('is its own tasks and all below them; the rest does not exist', async () => {
    const { as } = serviceOf(...family)
    const seen = async (service: TaskService) => {
      const codes = await Promise.all(family.map(({ id }) => codeOf(service.get(id))))
      return family.filter((_, at) => codes[at] === 'done').map(({ id }) => id)
    }
    expect(await seen(as())).toEqual(['mine', 'child', 'grandchild'])
    expect(await seen(as({ tasks: 'all' }))).toEqual(family.map(({ id }) => id))
    const [hidden, missing] = await Promise.all(
      ['theirs', 'nothing'].map((id) =>
        as()
          .get(id)
          .catch((error: Error) => error.message),
      ),
    )
    expect(hidden).toBe(`there is no task theirs`)
    expect(missing).toBe('there is no task nothing')
  })

  it('bounds lists, counts and streams', async () => {
    const { as, calls } = serviceOf(...family)
    await as().list({ search: 'x', ownedBy: 'other-id' })
    await as().count({})
    await as().counts()
    await as().approvals({ ownedBy: 'other-id' })
    const own = { ownedBy: 'ci-id' }
    expect(calls).toEqual([
      ['list', { search: 'x', ...own }],
      ['count', own],
      ['counts', own],
      ['approvals', own],
    ])
    const signal = AbortSignal.timeout(1000)
    const told = (await all(as().followAll({ signal }))).map(({ taskId }) => taskId)
    expect(told).toEqual(['mine', 'child', 'grandchild'])
    await expect(all(as().follow('theirs', { after: 0, signal }))).rejects.toMatchObject({
      code: 'task-not-found',
    })
  })

  it('has audit and notices by task, and usage only of all', async () => {
    const { as } = serviceOf(...family)
    expect(await codeOf(as().audit({}))).toBe('not-permitted')
    expect(await codeOf(as().audit({ taskId: 'theirs' }))).toBe('task-not-found')
    expect(await codeOf(as().audit({ taskId: 'child' }))).toBe('done')
    expect(await codeOf(as().notices({}))).toBe('not-permitted')
    expect(await codeOf(as().notices({ taskId: 'mine' }))).toBe('done')
    const query = { days: 1, timeZone: 'UTC' }
    expect(await codeOf(as().usage(query))).toBe('not-permitted')
    expect(await codeOf(as({ tasks: 'all' }).usage(query))).toBe('done')
  })

  it.each<[string, Right[], string[]]>([
    ['own', ['answer'], []],
    ['own', ['answer-own'], ['mine', 'child', 'grandchild']],
    ['all', ['answer'], ['theirs', 'owners']],
    ['all', ['answer-own'], ['mine', 'child', 'grandchild']],
    // Who started what was above an orphan, nobody can say.
    ['all', ['answer', 'answer-own'], family.map(({ id }) => id)],
  ])('of %s tasks with %j it answers those of %j', async (tasks, may, answered) => {
    const { as } = serviceOf(...family)
    const service = as({ tasks: tasks as Grant['tasks'], may })
    const codes = await Promise.all(
      family.map(({ id }) => codeOf(service.decide(`ask ${id}`, { answer: 'once' }, CALLER))),
    )
    expect(family.filter((_, at) => codes[at] === 'done').map(({ id }) => id)).toEqual(answered)
    const hidden = tasks === 'own' ? 'approval-not-found' : 'not-permitted'
    expect(new Set(codes)).toEqual(
      new Set([
        ...(answered.length > 0 ? ['done'] : []),
        ...(answered.length < family.length ? [hidden] : []),
        ...(tasks === 'own' && may[0] === 'answer' ? ['not-permitted'] : []),
      ]),
    )
  })
})

describe('an answer', () => {
  it('never outlasts its task', async () => {
    const { as } = serviceOf({ id: 'mine', createdBy: CI })
    const decide = (answer: object) => codeOf(as().decide('ask mine', answer as never, CALLER))
    expect(await decide({ answer: 'session' })).toBe('done')
    expect(await decide({ answer: 'always' })).toBe('not-permitted')
    expect(await decide({ answer: 'once', rule: 'allow command ls' })).toBe('not-permitted')
    expect(await decide({ answer: 'deny', retry: { network: true } })).toBe('not-permitted')
    expect(await decide({ answer: 'deny', retry: { network: false } })).toBe('done')
    expect(await decide({ answer: { permissions: { network: null }, scope: 'session' } })).toBe('done')
    expect(await decide({ answer: { content: { _meta: { persist: 'always' } } } })).toBe('done')
  })

  it.each([
    { decision: { acceptWithExecpolicyAmendment: { execpolicy_amendment: ['bash'] } } },
    { action: 'accept', content: null, _meta: { persist: 'always' } },
    { decision: 'decline' },
    null,
  ])("is never codex's own reply, as %j", async (result) => {
    const { as, calls } = serviceOf({ id: 'mine', createdBy: CI })
    expect(await codeOf(as().decide('ask mine', { answer: { result } }, CALLER))).toBe('not-permitted')
    expect(calls).toEqual([])
  })

  it('needs answer-own where the token has sent a message, or to a task above', async () => {
    const { as } = serviceOf(
      { id: 'told', title: 'api token:ci' },
      { id: 'below', parent: 'told' },
      { id: 'other' },
    )
    const decide = (id: string, may: Right[]) =>
      codeOf(as({ tasks: 'all', may }).decide(`ask ${id}`, { answer: 'once' }, CALLER))
    for (const id of ['told', 'below']) {
      expect(await decide(id, ['start', 'answer'])).toBe('not-permitted')
      expect(await decide(id, ['start', 'answer-own'])).toBe('not-permitted')
      expect(await decide(id, ['start', 'answer', 'answer-own'])).toBe('done')
      // What it has sent are answers.
      expect(await decide(id, ['answer'])).toBe('done')
    }
    expect(await decide('other', ['start', 'answer'])).toBe('done')
  })
})

describe('a start', () => {
  it.each<[Partial<StartTask>, Partial<Grant['ceiling']>]>([
    [{ policy: { sandbox: 'workspace-write' } }, { sandbox: 'workspace-write' }],
    [{ policy: { sandbox: 'danger-full-access' } }, { sandbox: 'danger-full-access' }],
    [{ preset: 'read-only' }, { preset: 'read-only' }],
    [{ preset: 'trusted' }, { preset: 'trusted' }],
    [{ policy: { network: true } }, { network: true }],
    [{ policy: { network: { domains: ['a.org'] } } }, { network: true }],
    [{ policy: { allow: [{ path: '/docs', access: 'rw' }] } }, { sandbox: 'workspace-write' }],
    [
      { host: 'build', cwd: '/srv/app', policy: { allow: [{ path: '/srv/app/x', access: 'ro' }] } },
      { hosts: ['build:/srv/app'], folders: ['/here'] },
    ],
    [{ policy: { permissions: ':workspace' } }, { sandbox: 'danger-full-access' }],
    [{ host: 'build', cwd: '/any' }, { hosts: ['other', 'build'] }],
    [
      { host: 'build', cwd: '/srv/app/api' },
      { hosts: ['build:/srv/app'], folders: ['/here'] },
    ],
    [{ account: 'work', onLimit: 'park' }, { accounts: ['work'] }],
    [{ account: 'pool:team', onLimit: 'switch' }, { accounts: ['work', 'pool:team'] }],
  ])('with %j needs a ceiling of %j', async (more, ceiling) => {
    const { as, calls } = serviceOf()
    expect(await codeOf(as().start(request(more), CALLER))).toBe('not-permitted')
    expect(calls).toEqual([])
    expect(await codeOf(as({ ceiling }).start(request(more), CALLER))).toBe('done')
    expect(calls[0]?.[2]).toMatchObject({ actor: 'token:ci', grant: { tokenId: 'ci-id' } })
  })

  it.each<Partial<StartTask>>([
    { codexPath: '/bin/sh' },
    { codexHome: '/elsewhere' },
    { rules: ['allow command rm'] },
    { rules: [] },
    { notify: [] },
    { notify: ['webhook:https://example.com'] },
    { labels: ['deploy'] },
    { labels: ['ci', 'cis'] },
    { tools: ['deploy'] },
    { policy: { config: { sandbox_mode: 'danger-full-access' } } },
    { policy: { trustedRoot: '/repo' } },
    { policy: { approvalsReviewer: 'auto_review' } },
    { prompt: [{ type: 'localImage', path: '/etc/passwd' }] },
    { prompt: [{ type: 'skill', name: 'x', path: '/elsewhere/SKILL.md' }] },
    { prompt: [{ type: 'image', url: 'https://example.com/x.png' }] },
    { surprise: true } as never,
    { policy: { surprise: true } as never },
  ])('with %j is never permitted', async (more) => {
    const ceiling = { sandbox: 'danger-full-access', preset: 'trusted', network: true } as const
    const { as, calls } = serviceOf()
    expect(await codeOf(as({ ceiling }).start(request(more), CALLER))).toBe('not-permitted')
    expect(calls).toEqual([])
  })

  it.each<Partial<StartTask>>([
    { title: 't', keepOpen: true, timeoutMs: 1000, approvalTimeoutMs: 1000, outputSchema: {}, on: 'w' },
    { labels: ['ci', 'ci:nightly'] },
    { policy: { model: 'm', effort: 'low', approvalPolicy: 'never', permissions: ':read-only' } },
    { prompt: [{ type: 'image', url: 'data:image/png;base64,AA==' }] },
    { policy: { confined: true, network: false, allow: [{ path: '/docs', access: 'ro' }] } },
    { prompt: [{ type: 'localImage', path: '/repo/x.png' }] },
    { parent: { threadId: 'any' } },
  ])('with %j is harmless', async (more) => {
    expect(await codeOf(serviceOf().as().start(request(more), CALLER))).toBe('done')
  })

  it('without a sandbox needs a preset of trusted to ask nobody', async () => {
    const policy = { sandbox: 'danger-full-access', approvalPolicy: 'never' } as const
    const start = (ceiling: Partial<Grant['ceiling']>) =>
      codeOf(serviceOf().as({ ceiling }).start(request({ policy }), CALLER))
    expect(await start({ sandbox: 'danger-full-access' })).toBe('not-permitted')
    expect(await start({ sandbox: 'danger-full-access', preset: 'trusted' })).toBe('done')
  })

  it.each(['/srv', '/srv/apps', '/srv/app/../other', '/', 'srv/app', '/srv/app/..'])(
    'stays in its folder of a host: not in %s',
    async (cwd) => {
      const service = serviceOf().as({ ceiling: { hosts: ['build:/srv/app', 'b', 'build2'] } })
      expect(await codeOf(service.start(request({ host: 'build', cwd }), CALLER))).toBe('not-permitted')
    },
  )

  it('allows nothing outside of its folders, whatever a path is called', async () => {
    const at = mkdtempSync(path.join(tmpdir(), 'drawbridge-'))
    onTestFinished(() => rmSync(at, { recursive: true }))
    for (const name of ['in/repo', 'in/docs', 'inside', 'out'])
      mkdirSync(path.join(at, name), { recursive: true })
    symlinkSync(path.join(at, 'out'), path.join(at, 'in', 'link'))
    const service = serviceOf().as({ ceiling: { folders: [path.join(at, 'in')] } })
    const start = (name: string) => {
      const allow = [{ path: path.join(at, name), access: 'ro' as const }]
      return codeOf(service.start(request({ cwd: path.join(at, 'in/repo'), policy: { allow } }), CALLER))
    }
    expect(await start('in/docs')).toBe('done')
    for (const name of ['out', 'inside', 'in/link', 'in/link/x', '.'])
      expect(await start(name)).toBe('not-permitted')
  })

  it('on a host gives codex no files of this machine', async () => {
    const service = serviceOf().as({ ceiling: { hosts: ['build'], folders: ['/repo'] } })
    const prompt = [{ type: 'localImage', path: '/repo/x.png' }] as const
    const asked = request({ host: 'build', cwd: '/repo', prompt: [...prompt] })
    expect(await codeOf(service.start(asked, CALLER))).toBe('not-permitted')
  })

  it('has keys of its own, and a parent that it sees', async () => {
    const { as, calls } = serviceOf({ id: 'mine', createdBy: CI }, { id: 'theirs' })
    await as().start(request({ idempotencyKey: 'k', parent: { taskId: 'mine' } }), CALLER)
    expect(calls[0]?.[1]).toMatchObject({ idempotencyKey: 'ci-id k', parent: { taskId: 'mine' } })
    expect(await codeOf(as().start(request({ parent: { taskId: 'theirs' } }), CALLER))).toBe('task-not-found')
  })

  it('stays in its folders, by real path', async () => {
    const at = mkdtempSync(path.join(tmpdir(), 'grant-'))
    onTestFinished(() => rmSync(at, { recursive: true, force: true }))
    for (const name of ['in', 'out']) mkdirSync(path.join(at, name))
    symlinkSync(path.join(at, 'out'), path.join(at, 'in', 'link'))
    const service = serviceOf().as({ ceiling: { folders: [path.join(at, 'in')] } })
    const start = (cwd: string) => codeOf(service.start(request({ cwd }), CALLER))
    expect(await start(path.join(at, 'in'))).toBe('done')
    for (const cwd of [at, `${at}/out`, `${at}/in/link`, `${at}/in/../out`, '/'])
      expect([cwd, await start(cwd)]).toEqual([cwd, 'not-permitted'])
  })
})
