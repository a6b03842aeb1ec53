// Named tokens on the real service: what they may do, what they are refused, and tasks below tasks.
import { mkdirSync, renameSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  type AddedToken,
  type AddToken,
  type ApiError,
  connect,
  type DrawbridgeClient,
  readToken,
  type Token,
} from '../../../src/api/index.ts'
import {
  hang,
  lastUserText,
  type ModelScript,
  message,
  shell,
  toolOutputs,
} from '../../../src/testing/index.ts'
import { serviceStage } from '../../support/service-stage.ts'

/** `hang` waits for ever, `ask` asks to leave the sandbox, everything else is answered. */
const script: ModelScript = (request) => {
  const asked = lastUserText(request)
  if (asked.includes('hang')) return [message('half'), hang()]
  if (asked.includes('ask') && toolOutputs(request).length === 0)
    return shell('echo hi > asked.txt', { escalate: 'to write' })
  return message('done')
}

async function open() {
  const stage = await serviceStage(script)
  await stage.json('token', 'list')
  const owner = connect({ url: stage.record().url, token: readToken(stage.dataDir)!, actor: 'owner' })
  const clientOf = (token: string, as?: string) => connect({ url: stage.record().url, token, as })
  const caller = async (token: AddToken): Promise<DrawbridgeClient> =>
    clientOf((await owner.addToken(token)).secret)
  return { ...stage, owner, caller, clientOf }
}

const refusal = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    ({ code, message: text }: ApiError) => `${code}: ${text}`,
  )

describe('a named token', () => {
  it('sees and goes on with its own tasks, and those of others do not exist for it', async () => {
    const { owner, caller, cwd } = await open()
    const ci = await caller({ name: 'ci' })
    const all = await caller({ name: 'all', tasks: 'all' })
    const foreign = await owner.tasks.start({ prompt: 'mine', cwd })
    const own = await ci.tasks.start({ prompt: 'yours', cwd }, { key: 'k' })
    expect(own.createdBy).toEqual({ tokenId: expect.any(String), name: 'ci' })
    expect((await ci.tasks.start({ prompt: 'yours', cwd }, { key: 'k' })).id).toBe(own.id)
    expect(await ci.tasks.wait(own.id)).toMatchObject({ status: 'completed', result: { text: 'done' } })
    expect((await ci.tasks.list()).items.map(({ id }) => id)).toEqual([own.id])
    expect((await all.tasks.list()).items.map(({ id }) => id)).toEqual([own.id, foreign.id])
    expect((await ci.status()).counts?.byStatus).toEqual({ completed: 1 })
    expect(await refusal(ci.tasks.get(foreign.id))).toBe(`task-not-found: there is no task ${foreign.id}`)
    expect(await refusal(ci.tasks.send(foreign.id, { input: 'x' }))).toContain('task-not-found')
    expect(await refusal(ci.tasks.interrupt(foreign.id))).toContain('task-not-found')
    // Another's key is another's.
    expect((await all.tasks.start({ prompt: 'yours', cwd }, { key: 'k' })).id).not.toBe(own.id)
    const { events } = await ci.tasks.events(own.id)
    expect(JSON.stringify(events)).toContain('token:ci')
  })

  it('cannot go above its ceiling, at the start or later', async () => {
    const { caller, cwd, owner } = await open()
    const inside = path.join(cwd, 'inside')
    const outside = path.join(cwd, 'outside')
    mkdirSync(inside)
    mkdirSync(outside)
    symlinkSync(outside, path.join(inside, 'link'))
    const ci = await caller({ name: 'ci', ceiling: { folders: [inside] } })
    const start = (more: object) => refusal(ci.tasks.start({ prompt: 'x', cwd: inside, ...more }))
    expect(await start({ policy: { sandbox: 'workspace-write' } })).toBe(
      'not-permitted: the token ci may not use the sandbox workspace-write: needs a token with --sandbox workspace-write',
    )
    expect(await start({ preset: 'workspace' })).toContain('needs a token with --preset workspace')
    expect(await start({ cwd: outside })).toContain('needs a token with --folder')
    expect(await start({ cwd: path.join(inside, 'link') })).toContain('needs a token with --folder')
    expect(await start({ cwd: path.join(inside, '..', 'outside') })).toContain('needs a token with --folder')
    expect(await start({ codexPath: '/bin/sh' })).toContain('not-permitted')
    expect(await start({ rules: ['allow command rm'] })).toContain('not-permitted')
    const { id } = await ci.tasks.start({ prompt: 'x', cwd: inside, keepOpen: true })
    await ci.tasks.wait(id)
    const wider = { sandbox: 'workspace-write' } as const
    expect(await refusal(ci.tasks.send(id, { input: 'x', overrides: wider }))).toContain('not-permitted')
    expect(await refusal(ci.tasks.change(id, { preset: 'trusted' }))).toContain('not-permitted')
    // The owner makes it wider: then it is no longer this token's to go on with.
    await owner.tasks.change(id, { preset: 'workspace' })
    expect(await refusal(ci.tasks.send(id, { input: 'x' }))).toContain(
      'needs a token with --preset workspace',
    )
    expect(await refusal(ci.tasks.fork(id, { prompt: 'x' }))).toContain('not-permitted')
    expect(await refusal(ci.tasks.delete(id))).toContain('not-permitted')
  })

  it('fails a turn whose folder has become a link that leads out', async () => {
    const { owner, caller, cwd } = await open()
    const work = path.join(cwd, 'home', 'work')
    const outside = path.join(cwd, 'outside')
    mkdirSync(work, { recursive: true })
    mkdirSync(outside)
    const ci = await caller({ name: 'ci', ceiling: { folders: [path.join(cwd, 'home')] } })
    const { id } = await ci.tasks.start({ prompt: 'x', cwd: work, keepOpen: true })
    expect(await ci.tasks.wait(id)).toMatchObject({ status: 'idle' })
    renameSync(work, `${work}.old`)
    symlinkSync(outside, work)
    expect(await refusal(ci.tasks.send(id, { input: 'again' }))).toContain('needs a token with --folder')
    // Not even the owner makes it work there: what is looked at is the folder as each turn finds it.
    await owner.tasks.send(id, { input: 'again' })
    expect(await owner.tasks.wait(id)).toMatchObject({
      status: 'failed',
      failure: { message: expect.stringContaining('is not in the folders of the token ci any more') },
    })
  })

  it('answers what it may, and never by a standing rule', async () => {
    const { owner, caller, cwd } = await open()
    const agent = await caller({ name: 'agent', may: ['read', 'start', 'answer'] })
    const boss = await caller({ name: 'boss', tasks: 'all', may: ['read', 'answer'] })
    const self = await caller({ name: 'self', may: ['read', 'start', 'answer-own'] })
    const { id } = await agent.tasks.start({ prompt: 'ask', cwd })
    expect(await agent.tasks.wait(id)).toMatchObject({ status: 'waiting' })
    const [question] = (await agent.approvals({ status: 'pending' })).items
    expect(await refusal(agent.answer(question!.id, { answer: 'once' }))).toBe(
      'not-permitted: the token agent may not answer questions of tasks that it started or sent messages to, or of tasks below them: ' +
        'needs "answer-own" (drawbridge token add … --may read,start,answer,answer-own)',
    )
    expect(await refusal(self.answer(question!.id, { answer: 'once' }))).toContain('approval-not-found')
    expect(await refusal(boss.answer(question!.id, { answer: 'always' }))).toContain('not-permitted')
    expect(await boss.answer(question!.id, { answer: 'deny', why: 'no' })).toMatchObject({
      actor: 'token:boss',
    })
    expect((await owner.audit({ taskId: id })).items[0]).toMatchObject({
      actor: 'token:boss',
      answer: 'deny',
    })
    expect(await agent.tasks.wait(id)).toMatchObject({ status: 'completed' })
    const mine = await self.tasks.start({ prompt: 'ask', cwd })
    await self.tasks.wait(mine.id)
    const [own] = (await self.approvals({ status: 'pending' })).items
    expect(await self.answer(own!.id, { answer: 'deny' })).toMatchObject({ actor: 'token:self' })
    expect(await refusal(self.audit())).toContain('not-permitted')
    expect(await refusal(boss.rules())).toContain('not-permitted')
  })

  it("does not answer what it told another's task to do, and never in codex's own words", async () => {
    const { owner, caller, cwd } = await open()
    const agent = await caller({ name: 'agent', tasks: 'all', may: ['read', 'start', 'answer'] })
    const boss = await caller({ name: 'boss', tasks: 'all', may: ['read', 'answer'] })
    const { id } = await owner.tasks.start({ prompt: 'ask', cwd, keepOpen: true })
    const question = async () => {
      await owner.tasks.wait(id)
      return (await owner.approvals({ taskId: id, status: 'pending' })).items[0]!.id
    }
    expect(await agent.answer(await question(), { answer: 'deny' })).toMatchObject({ actor: 'token:agent' })
    expect(await owner.tasks.wait(id, { through: true })).toMatchObject({ status: 'idle' })
    await agent.tasks.send(id, { input: 'go on' })
    expect(await owner.tasks.wait(id)).toMatchObject({ status: 'idle', turnCount: 2 })
    await owner.tasks.send(id, { input: 'please ask' })
    const second = await question()
    expect(await refusal(agent.answer(second, { answer: 'once' }))).toContain('needs "answer-own"')
    const amendment = { acceptWithExecpolicyAmendment: { execpolicy_amendment: ['bash'] } }
    expect(await refusal(boss.answer(second, { answer: { result: { decision: amendment } } }))).toContain(
      'not-permitted',
    )
    expect(await boss.answer(second, { answer: 'deny' })).toMatchObject({ actor: 'token:boss' })
  })

  it('is let in no longer once it is revoked, and what it follows ends', async () => {
    const { cli, json, cwd, clientOf } = await open()
    const { secret, token } = await json<AddedToken>(
      'token',
      'add',
      'ci',
      '--may',
      'read,start',
      '--folder',
      '.',
    )
    expect(secret).toMatch(/^dbt_[\w-]{43}$/)
    expect(token.scope?.ceiling.folders).toEqual([cwd])
    const ci = clientOf(secret)
    const { id } = await ci.tasks.start({ prompt: 'hang', cwd })
    const seen: string[] = []
    const follow = async () => {
      for await (const { event } of ci.tasks.follow(id)) seen.push(event.method)
    }
    const followed = refusal(follow())
    await expect.poll(() => seen).toContain('turn/started')
    const listed = await json<Token[]>('token', 'list')
    expect(listed).toMatchObject([{ name: 'ci', state: 'valid', usedAt: expect.any(Number) }])
    expect(JSON.stringify(listed)).not.toContain(secret)
    expect(await cli(['token', 'revoke', 'ci'])).toMatchObject({ code: 0 })
    expect(await followed).toContain('unauthorized')
    expect(await refusal(ci.tasks.get(id))).toContain('unauthorized')
    expect((await cli(['token', 'revoke', 'ci'])).stderr).toContain('no such token')
    expect(await json('task', 'show', id)).toMatchObject({ task: { status: 'working' } })
  })

  it('is what the owner can act as', async () => {
    const { owner, clientOf, cwd, dataDir } = await open()
    await owner.addToken({ name: 'mcp' })
    const acting = clientOf(readToken(dataDir)!, 'mcp')
    expect(await acting.status()).toMatchObject({ actor: 'token:mcp', grant: { name: 'mcp', tasks: 'own' } })
    expect((await acting.tasks.start({ prompt: 'x', cwd })).createdBy).toMatchObject({ name: 'mcp' })
    expect(await refusal(acting.addRule({ text: 'allow command ls' }))).toContain('not-permitted')
    expect(await refusal(acting.addToken({ name: 'more' }))).toContain('not-permitted')
    expect(await refusal(clientOf(readToken(dataDir)!, 'nobody').status())).toContain('not-permitted')
    await owner.revokeToken('mcp')
    expect(await refusal(acting.status())).toContain('not-permitted')
  })
})

describe('tasks below tasks', () => {
  it('are limited in depth, shown with each other, and interrupted together', async () => {
    const { owner, caller, cwd, cli, json } = await open()
    const ci = await caller({ name: 'ci' })
    const top = await ci.tasks.start({ prompt: 'hang', cwd })
    await expect.poll(async () => (await owner.tasks.get(top.id)).status).toBe('working')
    const { threadId } = await owner.tasks.get(top.id)
    const child = await ci.tasks.start({ prompt: 'hang', cwd, parent: { threadId: threadId! } })
    expect(child).toMatchObject({ parent: top.id, depth: 1 })
    const grandchild = await owner.tasks.start({ prompt: 'hang', cwd, parent: { taskId: child.id } })
    expect(grandchild).toMatchObject({ parent: child.id, depth: 2, createdBy: null })
    // Below its own: seen, and not to be answered.
    expect(await ci.tasks.get(grandchild.id)).toMatchObject({ id: grandchild.id })
    expect(await refusal(ci.tasks.start({ prompt: 'x', cwd, parent: { taskId: grandchild.id } }))).toContain(
      'too-deep',
    )
    const stray = await ci.tasks.start({ prompt: 'x', cwd, parent: { threadId: 'not-ours' } })
    expect(stray).toMatchObject({ parent: null, depth: 0 })
    expect(await json('task', 'list', '--parent', top.id)).toMatchObject([{ id: child.id }])
    for (const { id } of [child, grandchild])
      await expect.poll(async () => (await owner.tasks.get(id)).status).toBe('working')
    const page = await cli(['task', 'show', top.id])
    expect(page.stdout).toContain(`tasks that it started:\n  ${child.id.slice(-8)} working`)
    const alone = await cli(['task', 'interrupt', top.id])
    expect(alone.stderr).toContain('1 task that it started is still at work')
    expect(await cli(['task', 'interrupt', top.id, '--children'])).toMatchObject({ code: 0 })
    for (const { id } of [top, child, grandchild])
      expect(await owner.tasks.get(id)).toMatchObject({ status: 'interrupted' })
    expect(await refusal(owner.tasks.interrupt(top.id, { children: true }))).toContain('not-running')
  })
})
