import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Incident, NothingToResumeError, type Turn } from '../../src/codex/index.ts'
import { functionCall, lastUserText, message, shell, toolOutputs } from '../../src/testing/index.ts'
import { openClient } from '../support/open-client.ts'

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = []
  for await (const item of items) collected.push(item)
  return collected
}

const agents = { namespace: 'multi_agent_v1' }
const echo = [message('one'), message('two'), message('three')]

describe('opening', () => {
  it('says plainly that a thread without a turn, an ephemeral or an unknown one cannot be resumed', async () => {
    const { codex, cwd } = await openClient([[message('gone')]])
    const unused = await codex.startThread({ cwd })
    const ephemeral = await codex.startThread({ cwd, ephemeral: true })
    await (await ephemeral.startTurn('hi')).outcome
    for (const id of [unused.id, ephemeral.id, '01a1e14d-6de4-7f20-ba5d-1ccc1cc8e80e'])
      await expect(codex.resumeThread(id)).rejects.toBeInstanceOf(NothingToResumeError)
  })

  it('names the choices when another process has the thread', async () => {
    const { codex, cwd, open } = await openClient([...echo])
    const thread = await codex.startThread({ cwd })
    await (await thread.startTurn('hi')).outcome
    const other = await open()
    await expect(other.resumeThread(thread.id)).rejects.toMatchObject({
      code: 'thread-has-writer',
      choices: ['wait', 'fork'],
      retryable: true,
    })
    const fork = await other.forkThread(thread.id)
    expect(fork.id).not.toBe(thread.id)
    await codex.close()
    expect((await other.resumeThread(thread.id)).id).toBe(thread.id)
  })

  it('refuses an archived thread until it is unarchived', async () => {
    const { codex, cwd } = await openClient([...echo])
    const thread = await codex.startThread({ cwd })
    await (await thread.startTurn('hi')).outcome
    await codex.request('thread/archive', { threadId: thread.id })
    await expect(codex.resumeThread(thread.id)).rejects.toMatchObject({ code: 'thread-archived' })
    await codex.request('thread/unarchive', { threadId: thread.id })
    expect((await codex.resumeThread(thread.id)).id).toBe(thread.id)
  })

  it('forks up to a turn, and the fork knows only what came before', async () => {
    const { codex, cwd, model } = await openClient([...echo])
    const thread = await codex.startThread({ cwd })
    const first = await thread.startTurn('ALPHA')
    await first.outcome
    await (await thread.startTurn('BETA')).outcome
    const fork = await codex.forkThread(thread.id, { lastTurnId: first.id })
    await (await fork.startTurn('third')).outcome
    const seen = JSON.stringify(model.requests[2]?.body)
    expect({ alpha: seen.includes('ALPHA'), beta: seen.includes('BETA') }).toEqual({
      alpha: true,
      beta: false,
    })
  })

  it('sends the policy, sends it again on resume, and says when codex has another in force', async () => {
    const incidents: Incident[] = []
    const { codex, cwd, open } = await openClient([...echo], {
      client: { onIncident: (incident) => void incidents.push(incident) },
    })
    const policy = {
      sandbox: 'workspace-write',
      approvalPolicy: 'untrusted',
      model: 'scripted',
      effort: 'high',
    } as const
    const thread = await codex.startThread({ cwd, ...policy, developerInstructions: 'Be brief.' })
    expect(thread.settings).toMatchObject({ approvalPolicy: 'untrusted', reasoningEffort: 'high' })
    expect(thread.policy).toEqual({ ...policy, developerInstructions: 'Be brief.' })
    await (await thread.startTurn('hi', { effort: 'low', outputSchema: { type: 'object' } })).outcome
    expect(thread.policy).toMatchObject({ effort: 'low', sandbox: 'workspace-write' })
    await codex.close()
    const again = await open()
    const resumed = await again.resumeThread(thread.id, thread.policy)
    expect(resumed.settings).toMatchObject({ approvalPolicy: 'untrusted', sandbox: { type: 'readOnly' } })
    expect(resumed.sandbox.type).toBe('workspaceWrite')
    expect(incidents).toEqual([])
  })

  it('maps what this version no longer takes, and moves "ask for everything" out of the configuration', async () => {
    const incidents: Incident[] = []
    const { codex, cwd } = await openClient([], {
      client: { onIncident: (incident) => void incidents.push(incident) },
    })
    const mapped = await codex.startThread({ cwd, approvalPolicy: 'on-failure' })
    expect(mapped.settings.approvalPolicy).toBe('on-request')
    expect(incidents).toMatchObject([{ type: 'policy-mapped', asked: 'on-failure', got: 'on-request' }, {}])
    const moved = await codex.startThread({
      cwd,
      approvalPolicy: undefined,
      config: { approval_policy: 'untrusted' },
    })
    expect(moved.settings.approvalPolicy).toBe('untrusted')
  })
})

describe('history', () => {
  it('is read page by page: threads, turns, items, models', async () => {
    const { codex, cwd } = await openClient([...echo])
    const thread = await codex.startThread({ cwd })
    for (const text of ['a', 'b', 'c']) await (await thread.startTurn(text)).outcome
    await codex.request('thread/name/set', { threadId: thread.id, name: 'Named' })
    const threads = await all(codex.list('thread/list', { limit: 1 }))
    expect(threads).toMatchObject([{ id: thread.id, name: 'Named' }])
    const turns = await all(codex.list('thread/turns/list', { threadId: thread.id, limit: 1 }))
    expect(turns.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed'])
    const items = await all(codex.list('thread/items/list', { threadId: thread.id, limit: 2 }))
    expect(items).toHaveLength(6)
    const models = await all(codex.list('model/list', { limit: 2 }))
    expect(models.length).toBeGreaterThan(4)
    expect(new Set(models.map(({ id }) => id)).size).toBe(models.length)
  })

  it('can be taken back to before a turn, compacted, and deleted', async () => {
    const { codex, cwd, model } = await openClient([...echo, message('summary'), message('five')])
    const thread = await codex.startThread({ cwd })
    await (await thread.startTurn('keep')).outcome
    const second = await thread.startTurn('take back')
    await second.outcome
    await codex.revertThread(thread.id, { beforeTurnId: second.id })
    await (await thread.startTurn('go on')).outcome
    expect(JSON.stringify(model.requests[2]?.body).includes('take back')).toBe(false)
    const compaction = await thread.compact()
    expect(compaction.origin).toBe('client')
    expect(await compaction.outcome).toMatchObject({ status: 'completed' })
    expect([...compaction.items.values()]).toContainEqual({ type: 'contextCompaction', status: 'completed' })
    await codex.request('thread/unsubscribe', { threadId: thread.id })
    await codex.request('thread/delete', { threadId: thread.id })
    expect(await all(codex.list('thread/list', {}))).toEqual([])
  })

  it('takes a review as a turn', async () => {
    const { codex, cwd } = await openClient([message('{"findings":[],"overall_explanation":"fine"}')])
    const thread = await codex.startThread({ cwd })
    const review = await thread.review({ type: 'custom', instructions: 'look at it' })
    expect(await review.outcome).toMatchObject({ status: 'completed' })
    const types = [...review.items.values()].map(({ type }) => type)
    expect(types).toEqual(expect.arrayContaining(['enteredReviewMode', 'exitedReviewMode']))
  })

  it('surfaces the turns that a goal starts by itself, until it is paused', async () => {
    const { codex, cwd } = await openClient([[message('working on it')]], { model: { repeatLast: true } })
    const thread = await codex.startThread({ cwd })
    const turns: Turn[] = []
    const third = Promise.withResolvers<void>()
    thread.onTurn((turn) => {
      if (turns.push(turn) === 3) third.resolve()
    })
    await codex.request('thread/goal/set', { threadId: thread.id, objective: 'finish', status: 'active' })
    await third.promise
    await codex.request('thread/goal/set', { threadId: thread.id, status: 'paused' })
    expect(await turns[0]?.outcome).toMatchObject({ status: 'completed', text: 'working on it' })
    expect(turns.every(({ origin }) => origin === 'codex')).toBe(true)
    expect((await codex.request('thread/goal/get', { threadId: thread.id })).goal).toMatchObject({
      status: 'paused',
    })
    await codex.request('thread/goal/clear', { threadId: thread.id })
  })
})

describe('what else codex offers', () => {
  it('answers offline: account, login and logout, skills, MCP servers, plugins, permission profiles', async () => {
    const { codex, cwd, home } = await openClient([])
    const login = path.join(home.path, 'auth.json')
    expect(await codex.request('account/read', {})).toMatchObject({ account: null })
    await codex.request('account/login/start', { type: 'apiKey', apiKey: 'sk-test-0000000000000000' })
    expect(existsSync(login)).toBe(true)
    await codex.request('account/logout', undefined)
    expect(existsSync(login)).toBe(false)
    await expect(codex.request('account/rateLimits/read', {})).rejects.toMatchObject({ code: 'rpc-error' })
    expect((await codex.request('skills/list', { cwds: [cwd] })).data).toHaveLength(1)
    expect(await all(codex.list('mcpServerStatus/list', {}))).toEqual([])
    expect(await codex.request('plugin/list', {})).toHaveProperty('marketplaces')
    const profiles = await all(codex.list('permissionProfile/list', {}))
    expect(profiles.map(({ id }) => id)).toContain(':workspace')
  })
})

describe('sub-agents', () => {
  it('are shown with the turn they work for, ask in its name, and leave its text alone', async () => {
    const asked: unknown[] = []
    const { codex, cwd } = await openClient(
      (request) => {
        const outputs = toolOutputs(request)
        if (lastUserText(request).includes('CHILD'))
          return outputs.length === 0
            ? shell('echo child', { escalate: 'the child asks' })
            : message('I am the child')
        if (outputs.length === 0) return functionCall('spawn_agent', { message: 'CHILD' }, agents)
        const { agent_id } = JSON.parse(outputs[0]!.text)
        if (outputs.length === 1)
          return functionCall('wait_agent', { targets: [agent_id], timeout_ms: 15_000 }, agents)
        return message('I am the parent')
      },
      {
        client: {
          handlers: {
            'item/commandExecution/requestApproval': ({ threadId }, { parent }) => {
              asked.push({ threadId, parent })
              return { decision: 'decline' }
            },
          },
        },
      },
    )
    const thread = await codex.startThread({ cwd })
    const turn = await thread.startTurn('PARENT')
    const events = await all(turn)
    expect(await turn.outcome).toMatchObject({ status: 'completed', text: 'I am the parent' })
    const child = events.find(({ params }) => 'threadId' in params && params.threadId !== thread.id)
    const { threadId: childId } = child!.params as { threadId: string }
    expect(codex.parentOf(childId)).toEqual({ threadId: thread.id, turnId: turn.id })
    expect(asked).toEqual([{ threadId: childId, parent: { threadId: thread.id, turnId: turn.id } }])
    const childMethods = events.filter(({ params }) => 'threadId' in params && params.threadId === childId)
    expect(childMethods.map(({ method }) => method)).toEqual(
      expect.arrayContaining(['thread/status/changed', 'turn/started', 'item/completed', 'turn/completed']),
    )
    expect((await turn.outcome).agentMessages.map(({ text }) => text)).toEqual(['I am the parent'])
  })
})
