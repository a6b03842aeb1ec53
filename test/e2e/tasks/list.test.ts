import { describe, expect, it } from 'vitest'
import { hang, lastUserText, message, shell, toolOutputs } from '../../../src/testing/index.ts'
import { ALICE, openTasks } from '../../support/open-tasks.ts'
import { eventThat, isStreaming, questionOf, runTask } from '../../support/task-facts.ts'

describe('the list of tasks', () => {
  it('is filtered by status, labels, folder, and words in title, prompt or answer', async () => {
    const { tasks, request, cwd } = await openTasks((call) => message(`The ANSWER to ${lastUserText(call)}`))
    const one = await runTask(tasks, request('apples_100%', { labels: ['fruit', 'red'] }))
    const two = await runTask(tasks, request('pears', { labels: ['fruit'], title: 'Green things' }))
    const three = await runTask(tasks, request('plums', { codexPath: '/nowhere/codex' }))
    const ids = async (query: Parameters<typeof tasks.list>[0]) =>
      (await tasks.list(query)).items.map(({ id }) => id)
    expect(await ids({})).toEqual([three.id, two.id, one.id])
    expect(await ids({ status: ['completed'] })).toEqual([two.id, one.id])
    expect(await ids({ status: ['failed', 'lost'] })).toEqual([three.id])
    expect(await ids({ labels: ['fruit'] })).toEqual([two.id, one.id])
    expect(await ids({ labels: ['fruit', 'red'] })).toEqual([one.id])
    expect(await ids({ labels: ['blue'] })).toEqual([])
    expect(await ids({ cwd })).toHaveLength(3)
    expect(await ids({ cwd: '/elsewhere' })).toEqual([])
    expect(await ids({ search: 'green' })).toEqual([two.id])
    expect(await ids({ search: 'PEARS' })).toEqual([two.id])
    expect(await ids({ search: 'the answer to' })).toEqual([two.id, one.id])
    expect(await ids({ search: '100%' })).toEqual([one.id])
    expect(await ids({ search: 's_1' })).toEqual([one.id])
    expect(await ids({ search: '%' })).toEqual([one.id])
    expect(await ids({ search: three.id })).toEqual([three.id])
    expect((await tasks.list({ labels: ['red'] })).items).toEqual([one])
  })

  it('comes in pages that have each task exactly once, also when more are started meanwhile', async () => {
    const { tasks, request } = await openTasks(() => message('ok'))
    const first: string[] = []
    for (let index = 0; index < 7; index++)
      first.push((await tasks.start(request(`t${index}`, { codexPath: '/nowhere/codex' }), ALICE)).id)
    const seen: string[] = []
    let cursor: string | null | undefined
    for (let pages = 0; cursor !== null; pages++) {
      const page = await tasks.list({ limit: 3, ...(cursor && { cursor }) })
      seen.push(...page.items.map(({ id }) => id))
      cursor = page.cursor
      if (pages === 0) await tasks.start(request('late', { codexPath: '/nowhere/codex' }), ALICE)
    }
    expect(seen).toEqual(first.toReversed())
    await expect(tasks.list({ cursor: 'garbage' })).rejects.toMatchObject({ code: 'bad-request' })
    for (const { id } of (await tasks.list({})).items) await tasks.wait(id, { timeoutMs: 20_000 })
  })
})

describe('showing a task', () => {
  it('has its newest events, its open questions and what waits to be sent', async () => {
    const { tasks, request } = await openTasks((call) =>
      toolOutputs(call).length > 0 ? message('fine') : shell('touch made', { escalate: 'please' }),
    )
    const { id } = await tasks.start(request('go'), ALICE)
    const question = await questionOf(tasks, id)
    await tasks.send(id, { input: 'later', mode: 'queue' }, ALICE)
    const shown = await tasks.show(id, { events: 3 })
    expect(shown).toMatchObject({
      task: { id, status: 'waiting', openApprovals: 1, queuedMessages: 1 },
      approvals: [{ id: question.id }],
      messages: [{ text: 'later', status: 'queued', actor: 'test:alice' }],
    })
    expect(shown.events).toHaveLength(3)
    expect(shown.events.at(-1)!.seq).toBe((await tasks.get(id)).lastSeq)
    expect((await tasks.show(id, { events: 0 })).events).toEqual([])
    await expect(tasks.show('no-such')).rejects.toMatchObject({ code: 'task-not-found' })
    expect(await tasks.counts()).toMatchObject({
      byStatus: { waiting: 1 },
      openApprovals: 1,
      oldestApprovalAt: question.createdAt,
    })
    await tasks.cancelMessage(id, shown.messages[0]!.id, ALICE)
    expect(await tasks.interrupt(id, ALICE)).toMatchObject({ status: 'interrupted', queuedMessages: 0 })
  })
})

describe('waiting for a task', () => {
  it('ends with what it is when the time is up, or when somebody no longer wants to know', async () => {
    const { tasks, request } = await openTasks(() => [message('half'), hang()])
    const { id } = await tasks.start(request('go'), ALICE)
    await eventThat(tasks, id, isStreaming)
    expect(await tasks.wait(id, { timeoutMs: 50 })).toMatchObject({ status: 'working' })
    expect(await tasks.wait(id, { signal: AbortSignal.abort() })).toMatchObject({ status: 'working' })
    await tasks.interrupt(id, ALICE)
    expect(await tasks.wait(id, {})).toMatchObject({ status: 'interrupted' })
  })

  it('ends at a question, or goes through it', async () => {
    const { tasks, request } = await openTasks((call) =>
      toolOutputs(call).length > 0 ? message('fine') : shell('touch made', { escalate: 'please' }),
    )
    const { id } = await tasks.start(request('go'), ALICE)
    expect(await tasks.wait(id, { timeoutMs: 20_000 })).toMatchObject({ status: 'waiting' })
    const through = tasks.wait(id, { timeoutMs: 20_000, through: true })
    await tasks.decide((await questionOf(tasks, id)).id, { answer: 'deny' }, ALICE)
    expect(await through).toMatchObject({ status: 'completed' })
  })
})
