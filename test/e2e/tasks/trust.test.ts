// Trust as the service keeps it: looked up whenever a thread is opened, given and taken back while a task lasts.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { type ModelRequest, message, shell, toolOutputs } from '../../../src/testing/index.ts'
import { HOME_WITH_ROOTS, hostileRepo } from '../../support/hostile-repo.ts'
import { ALICE, openTasks } from '../../support/open-tasks.ts'

const LOGIN = 'a-login-that-nobody-reads'

/** Calls the tool once in each turn, and says what came of it. */
function eachTurn(call: (request: ModelRequest) => ReturnType<typeof shell>) {
  return (request: ModelRequest) => {
    const last = request.body.input?.at(-1) as { type?: string } | undefined
    return last?.type?.endsWith('_output') ? message(toolOutputs(request).at(-1)?.text ?? '') : call(request)
  }
}

async function stage(command: (home: string, url: string) => string, escalate?: string) {
  const repo = await hostileRepo()
  const trusted = { root: null as string | null }
  let text = ''
  const opened = await openTasks(
    eachTurn(() => shell(text, escalate === undefined ? {} : { escalate })),
    {
      home: HOME_WITH_ROOTS,
      trustOf: () => (trusted.root === null ? {} : { trustedRoot: trusted.root }),
    },
  )
  const home = opened.home.path
  text = command(home, opened.model.url)
  writeFileSync(path.join(home, 'auth.json'), JSON.stringify({ OPENAI_API_KEY: LOGIN }))
  const config = () => readFileSync(path.join(home, 'config.toml'), 'utf8')
  const before = config()
  const ended = (taskId: string) => opened.tasks.wait(taskId, { through: true })
  const request = (more: object = {}) =>
    opened.request('go', { cwd: repo.root, policy: { sandbox: 'workspace-write' }, ...more })
  return { ...opened, repo, trusted, isUnchanged: () => config() === before, ended, request }
}

describe('a task in an untrusted folder', () => {
  it('starts nothing, writes nothing to the configuration, and cannot read logins', async () => {
    const { tasks, repo, isUnchanged, ended, request } = await stage(
      (home) => `touch made && echo made; grep -q ${LOGIN} ${home}/auth.json && echo readable; true`,
    )
    const { id } = await tasks.start(request(), ALICE)
    const task = await ended(id)
    expect(task).toMatchObject({
      status: 'completed',
      effectivePolicy: {
        sandbox: { type: 'workspaceWrite', networkAccess: false },
        trust: 'untrusted',
        areLoginsProtected: true,
      },
    })
    expect(task.result?.text).toContain('made')
    expect(task.result?.text).not.toContain('readable')
    expect([repo.started(), isUnchanged()]).toEqual([[], true])
  })

  it('is refused full access, at its start and for a later turn', async () => {
    const { tasks, ended, request } = await stage(() => 'true')
    const full = { sandbox: 'danger-full-access' } as const
    await expect(tasks.start(request({ policy: full }), ALICE)).rejects.toMatchObject({
      code: 'folder-untrusted',
    })
    const { id } = await tasks.start(request({ keepOpen: true }), ALICE)
    await ended(id)
    const send = tasks.send(id, { input: 'more', mode: 'queue', overrides: full }, ALICE)
    await expect(send).rejects.toMatchObject({ code: 'folder-untrusted' })
  })

  it('goes on with network when a yes could not have given it', async () => {
    const { tasks, ended, request, model } = await stage(
      (_, url) => `curl -so /dev/null -m 5 ${url} && echo reached; true`,
      'to download',
    )
    const { id } = await tasks.start(request(), ALICE)
    const waiting = await tasks.wait(id, {})
    expect(waiting.status).toBe('waiting')
    const [approval] = (await tasks.approvals({ taskId: id, status: 'pending' })).items
    expect(approval?.question).toMatchObject({ escalation: { network: false, protectedFiles: false } })
    await expect(
      tasks.decide(approval!.id, { answer: 'once', retry: { network: true } }, ALICE),
    ).rejects.toMatchObject({ code: 'bad-request' })
    await tasks.decide(approval!.id, { answer: 'cancel', retry: { network: true } }, ALICE)
    await expect
      .poll(async () => (await tasks.approvals({ taskId: id, status: 'pending' })).items.length, {
        timeout: 20_000,
      })
      .toBe(1)
    const [again] = (await tasks.approvals({ taskId: id, status: 'pending' })).items
    expect(again?.question).toMatchObject({ escalation: { network: true, protectedFiles: false } })
    await tasks.decide(again!.id, { answer: 'once' }, ALICE)
    const task = await ended(id)
    expect(task).toMatchObject({ status: 'completed', policy: { network: true } })
    expect(task.result?.text).toContain('reached')
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('Commands reach the network now')
  })
})

describe('trust', () => {
  it('that is given, and taken back, holds from the next turn of an open task on', async () => {
    const { tasks, repo, trusted, isUnchanged, ended, request } = await stage(
      (home) => `grep -q ${LOGIN} ${home}/auth.json && echo readable; true`,
    )
    const { id } = await tasks.start(request({ keepOpen: true }), ALICE)
    expect((await ended(id)).result?.text).not.toContain('readable')
    const turn = async () => {
      await tasks.send(id, { input: 'again', mode: 'queue' }, ALICE)
      return ended(id)
    }
    trusted.root = repo.root
    const inTrust = await turn()
    expect(inTrust.effectivePolicy).toMatchObject({ trust: 'trusted', areLoginsProtected: false })
    expect(inTrust.result?.text).toContain('readable')
    expect(repo.started()).toContain('mcp')
    trusted.root = null
    const without = await turn()
    expect(without.effectivePolicy).toMatchObject({ trust: 'untrusted', areLoginsProtected: true })
    expect(without.result?.text).not.toContain('readable')
    expect(without.policy).not.toHaveProperty('trustedRoot')
    expect([repo.started(), isUnchanged()]).toEqual([[], true])
  })
})

describe('trust that changes while the service is stopped, in the middle of a turn', () => {
  async function restartedInTurn(change: (trusted: { root: string | null }, root: string) => void) {
    const repo = await hostileRepo()
    const trusted = { root: null as string | null }
    const gate = Promise.withResolvers<void>()
    let home = ''
    const opened = await openTasks(
      async (request) => {
        if (model().requests.length === 1) await gate.promise
        return eachTurn(() => shell(`grep -q ${LOGIN} ${home}/auth.json && echo readable; true`))(request)
      },
      {
        home: HOME_WITH_ROOTS,
        trustOf: () => (trusted.root === null ? {} : { trustedRoot: trusted.root }),
      },
    )
    const model = () => opened.model
    home = opened.home.path
    writeFileSync(path.join(home, 'auth.json'), JSON.stringify({ OPENAI_API_KEY: LOGIN }))
    change(trusted, repo.root)
    const policy = { sandbox: 'workspace-write' } as const
    const { id } = await opened.tasks.start(
      opened.request('go', { cwd: repo.root, policy, keepOpen: true }),
      ALICE,
    )
    await opened.model.waitForRequests(1)
    await opened.close()
    const startedBefore = repo.started()
    const reopen = async () => {
      const { tasks } = await opened.open()
      gate.resolve()
      await tasks.wait(id, { through: true })
      const startedMeanwhile = repo.started()
      await tasks.send(id, { input: 'again', mode: 'queue' }, ALICE)
      return { task: await tasks.wait(id, { through: true }), startedMeanwhile, started: repo.started() }
    }
    return { trusted, repo, startedBefore, reopen }
  }

  it('counts from the next turn on when it was given: what the repository names is started then', async () => {
    const { trusted, repo, startedBefore, reopen } = await restartedInTurn(() => {})
    expect(startedBefore).toEqual([])
    trusted.root = repo.root
    const { task, startedMeanwhile, started } = await reopen()
    expect([startedMeanwhile, started]).toEqual([[], expect.arrayContaining(['mcp'])])
    expect(task.effectivePolicy).toMatchObject({ trust: 'trusted', areLoginsProtected: false })
    expect(task.result?.text).toContain('readable')
  })

  it('counts from the next turn on when it was taken back: nothing of the repository is started again', async () => {
    const { trusted, startedBefore, reopen } = await restartedInTurn((given, root) => (given.root = root))
    expect(startedBefore).toContain('mcp')
    trusted.root = null
    const { task, started } = await reopen()
    expect(started).toEqual([])
    expect(task.effectivePolicy).toMatchObject({ trust: 'untrusted', areLoginsProtected: true })
    expect(task.result?.text).not.toContain('readable')
  })
})

describe('a login that appears while codex runs', () => {
  it('is out of reach of the next task: that goes to an app-server that protects it', async () => {
    const { tasks, home, pool, ended, request } = await stage((place) => `cat ${place}/auth.json; true`)
    const late = path.join(home.path, '.credentials.json')
    const { id } = await tasks.start(request(), ALICE)
    await ended(id)
    const [before] = pool.list()
    writeFileSync(late, '{}')
    const { id: next } = await tasks.start(request(), ALICE)
    await ended(next)
    expect(pool.list().map((server) => server.id)).not.toEqual([before!.id])
    expect(existsSync(late)).toBe(true)
  })
})
