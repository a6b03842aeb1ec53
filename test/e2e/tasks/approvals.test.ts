// Questions about commands and files: who answers, exactly once, and what is written down of it.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  applyPatch,
  lastUserText,
  type ModelRequest,
  message,
  type Reply,
  shell,
  toolOutputs,
} from '../../../src/testing/index.ts'
import { ALICE, allEvents, openTasks } from '../../support/open-tasks.ts'
import { paramsOf, questionOf, questionsOf, runTask, taskThat } from '../../support/task-facts.ts'

const BOB = { actor: 'test:bob' }
const touch = (name: string) => shell(`touch ${name}`, { escalate: 'please' })

/** Calls the tool in every turn, and says what it was told. */
function calling(call: Reply | ((request: ModelRequest) => Reply)) {
  return (request: ModelRequest): Reply => {
    const outputs = toolOutputs(request)
    if (outputs.length > 0) return message(outputs.map(({ text }) => text).join('\n'))
    return typeof call === 'function' ? call(request) : call
  }
}

describe('a rule of the task', () => {
  it('answers without a person, and the audit says which', async () => {
    const { tasks, request, cwd } = await openTasks(calling(touch('made')))
    const rule = 'allow command touch made'
    const task = await runTask(tasks, request('go', { rules: [rule] }))
    expect(task).toMatchObject({ status: 'completed', openApprovals: 0, rules: [rule] })
    expect(existsSync(path.join(cwd, 'made'))).toBe(true)
    const { items } = await tasks.approvals({ taskId: task.id })
    expect(items).toMatchObject([
      { status: 'answered', by: 'rule', answer: 'once', actor: null, rule: expect.any(String) },
    ])
    expect((await tasks.audit({ taskId: task.id })).items).toMatchObject([
      {
        approvalId: items[0]!.id,
        by: 'rule',
        actor: null,
        rule: items[0]!.rule,
        answer: 'once',
        kind: 'command',
      },
    ])
    const statuses = (await allEvents(tasks, task.id))
      .filter(({ method }) => method === 'drawbridge/task')
      .map((event) => paramsOf(event).status)
    expect(statuses).not.toContain('waiting')
  })

  it('that denies is obeyed, and the preset answers what no rule does', async () => {
    const { tasks, request, cwd } = await openTasks(calling((call) => touch(lastUserText(call))))
    const denied = await runTask(tasks, request('made', { rules: ['deny command touch'] }))
    expect(denied).toMatchObject({ status: 'completed', result: { text: expect.stringMatching(/reject/i) } })
    expect(existsSync(path.join(cwd, 'made'))).toBe(false)
    const trusted = await runTask(tasks, request('trusted', { preset: 'trusted' }))
    expect((await tasks.approvals({ taskId: trusted.id })).items).toMatchObject([
      { by: 'rule', answer: 'once' },
    ])
    expect(existsSync(path.join(cwd, 'trusted'))).toBe(true)
  })

  it('of the workspace preset allows changes inside it and asks about those outside', async () => {
    const patch = (file: string) => applyPatch(`*** Begin Patch\n*** Add File: ${file}\n+one\n*** End Patch`)
    const { tasks, request, cwd } = await openTasks(calling((call) => patch(lastUserText(call))))
    const inside = await runTask(tasks, request('a.txt', { preset: 'workspace' }))
    expect((await tasks.approvals({ taskId: inside.id })).items).toMatchObject([
      { kind: 'file-change', by: 'rule' },
    ])
    expect(existsSync(path.join(cwd, 'a.txt'))).toBe(true)
    const { id } = await tasks.start(request(`${cwd}-outside.txt`, { preset: 'workspace' }), ALICE)
    expect(await questionOf(tasks, id)).toMatchObject({ kind: 'file-change', status: 'pending' })
    await tasks.interrupt(id, ALICE)
  })
})

describe('a person', () => {
  it.each([
    ['once', true, 'completed', 1],
    ['session', true, 'completed', 0],
    ['deny', false, 'completed', 1],
    ['cancel', false, 'interrupted', 1],
  ] as const)('answers %s', async (answer, isMade, status, askedAgain) => {
    const { tasks, request, cwd } = await openTasks(calling(touch('made')))
    const { id } = await tasks.start(request('go'), ALICE)
    const question = await questionOf(tasks, id)
    expect(question).toMatchObject({ kind: 'command', proposedRule: expect.stringContaining('touch made') })
    expect(await tasks.get(id)).toMatchObject({ status: 'waiting', waitingFor: 'approval', openApprovals: 1 })
    const decided = await tasks.decide(question.id, { answer, why: 'because' }, BOB)
    expect(decided).toMatchObject({
      status: 'answered',
      answer,
      by: 'person',
      actor: 'test:bob',
      why: 'because',
    })
    const { status: ended, reason } = await tasks.wait(id, { timeoutMs: 20_000 })
    expect(ended).toBe(status)
    if (answer === 'cancel') expect(reason).toMatch(/^test:bob answered "run .*touch made.*" with cancel$/)
    expect(existsSync(path.join(cwd, 'made'))).toBe(isMade)
    expect((await tasks.audit({ taskId: id })).items).toMatchObject([
      { answer, actor: 'test:bob', why: 'because' },
    ])
    await tasks.send(id, { input: 'again', mode: 'queue' }, ALICE)
    await taskThat(
      tasks,
      id,
      (task) => task.turnCount === 2 && (task.status === 'waiting' || task.status === 'completed'),
    )
    expect((await tasks.approvals({ taskId: id, status: 'pending' })).items).toHaveLength(askedAgain)
    if (askedAgain > 0) await tasks.interrupt(id, ALICE)
  })

  it('who answers always makes a standing rule that answers other tasks, until it is revoked', async () => {
    const { tasks, request, cwd, pool } = await openTasks(calling(touch('made')))
    const { id } = await tasks.start(request('go'), ALICE)
    const question = await questionOf(tasks, id)
    expect(question.question.choices.map(({ word }) => word)).toContain('always')
    await tasks.decide(question.id, { answer: 'always' }, BOB)
    expect(await tasks.wait(id, { timeoutMs: 20_000 })).toMatchObject({ status: 'completed' })
    expect(existsSync(path.join(cwd, 'made'))).toBe(true)
    const [rule] = await tasks.rules()
    expect(rule).toMatchObject({
      text: question.proposedRule,
      createdBy: 'test:bob',
      approvalId: question.id,
      revokedAt: null,
    })
    const other = await runTask(tasks, request('another'))
    expect((await tasks.approvals({ taskId: other.id })).items).toMatchObject([
      { by: 'rule', rule: rule!.id, status: 'answered' },
    ])
    expect(await tasks.revokeRule(rule!.id, ALICE)).toMatchObject({ revokedBy: 'test:alice' })
    await expect(tasks.revokeRule(rule!.id, ALICE)).rejects.toMatchObject({ code: 'rule-not-found' })
    expect([await tasks.rules(), await tasks.rules({ revoked: true })]).toMatchObject([
      [],
      [{ id: rule!.id }],
    ])
    const third = await tasks.start(request('and another'), ALICE)
    const asked = await questionOf(tasks, third.id)
    await tasks.decide(asked.id, { answer: 'deny' }, ALICE)
    expect(await tasks.wait(third.id, { timeoutMs: 20_000 })).toMatchObject({ status: 'completed' })
    expect(pool.list()).toHaveLength(1) // nothing was started for the rule's sake
  })

  it('may word the rule, as long as it allows what is asked', async () => {
    const { tasks, request } = await openTasks(calling(touch('made')))
    const { id } = await tasks.start(request('go'), ALICE)
    const question = await questionOf(tasks, id)
    for (const rule of ['allow command git status', 'deny command touch', 'not a rule'])
      await expect(tasks.decide(question.id, { answer: 'always', rule }, BOB)).rejects.toMatchObject({
        code: rule === 'not a rule' ? 'bad-request' : 'bad-answer',
      })
    expect([await tasks.rules({ revoked: true }), (await tasks.approval(question.id)).status]).toEqual([
      [],
      'pending',
    ])
    await tasks.decide(question.id, { answer: 'always', rule: 'allow command touch' }, BOB)
    expect(await tasks.rules()).toMatchObject([{ text: 'allow command touch' }])
    await tasks.wait(id, { timeoutMs: 20_000 })
  })

  it('is refused an answer that cannot be, and the question stays', async () => {
    const { tasks, request } = await openTasks(calling(touch('made')))
    const { id } = await tasks.start(request('go'), ALICE)
    const { id: questionId } = await questionOf(tasks, id)
    for (const answer of [{ answers: { a: ['x'] } }, { content: {} }, 'perhaps' as never])
      await expect(tasks.decide(questionId, { answer }, BOB)).rejects.toMatchObject({ code: 'bad-answer' })
    await expect(tasks.decide('no-such', { answer: 'once' }, BOB)).rejects.toMatchObject({
      code: 'approval-not-found',
    })
    expect(await tasks.approval(questionId)).toMatchObject({ status: 'pending', answer: null })
    await tasks.decide(questionId, { answer: 'once' }, BOB)
    expect(await tasks.wait(id, { timeoutMs: 20_000 })).toMatchObject({ status: 'completed' })
  })

  it('wins when first, and whoever is second is told what won', async () => {
    const { tasks, request, cwd } = await openTasks(calling(touch('made')))
    const { id } = await tasks.start(request('go'), ALICE)
    const question = await questionOf(tasks, id)
    const both = await Promise.allSettled([
      tasks.decide(question.id, { answer: 'deny' }, ALICE),
      tasks.decide(question.id, { answer: 'always' }, BOB),
      tasks.decide(question.id, { answer: 'once' }, BOB),
    ])
    const won = both.filter(({ status }) => status === 'fulfilled')
    const lost = both.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
    expect([won.length, lost.length]).toEqual([1, 2])
    const approval = await tasks.approval(question.id)
    for (const error of lost)
      expect(error).toMatchObject({
        code: 'approval-settled',
        details: { approval: { answer: approval.answer, actor: approval.actor } },
      })
    expect((await tasks.audit({ taskId: id })).items).toHaveLength(1)
    expect(await tasks.rules({ revoked: true })).toHaveLength(approval.answer === 'always' ? 1 : 0)
    await tasks.wait(id, { timeoutMs: 20_000 })
    expect(existsSync(path.join(cwd, 'made'))).toBe(approval.answer !== 'deny')
  })
})

describe('nobody', () => {
  it('in time is a no, said by default', async () => {
    const { tasks, request, cwd } = await openTasks(calling(touch('made')))
    const { id } = await tasks.start(request('go', { approvalTimeoutMs: 300 }), ALICE)
    const question = await questionOf(tasks, id)
    expect(question.deadlineAt).toBe(question.createdAt + 300)
    expect(await taskThat(tasks, id, ({ status }) => status === 'completed')).toMatchObject({
      openApprovals: 0,
    })
    expect(await tasks.approval(question.id)).toMatchObject({
      answer: 'deny',
      by: 'default',
      why: 'nobody answered in time',
    })
    expect((await tasks.audit({ taskId: id })).items).toMatchObject([{ by: 'default', actor: null }])
    expect(existsSync(path.join(cwd, 'made'))).toBe(false)
  })
})

describe('several questions at once', () => {
  it('are answered in any order, and the task waits for the last', async () => {
    const { tasks, request, cwd } = await openTasks(calling(['a', 'b', 'c'].map(touch)))
    const { id } = await tasks.start(request('go'), ALICE)
    const asked = await questionsOf(tasks, id, 3)
    expect((await tasks.get(id)).reason).toMatch(/and 2 more/)
    const [a, b, c] = ['a', 'b', 'c'].map(
      (name) => asked.find(({ question }) => question.title.includes(`touch ${name}`))!,
    )
    await tasks.decide(c!.id, { answer: 'once' }, ALICE)
    await tasks.decide(a!.id, { answer: 'once' }, ALICE)
    expect(await tasks.get(id)).toMatchObject({ status: 'waiting', openApprovals: 1 })
    await tasks.decide(b!.id, { answer: 'deny' }, ALICE)
    expect(await tasks.wait(id, { timeoutMs: 20_000 })).toMatchObject({ status: 'completed' })
    expect(['a', 'b', 'c'].map((name) => existsSync(path.join(cwd, name)))).toEqual([true, false, true])
  })
})

describe('a change of files', () => {
  it('is shown with its diff', async () => {
    const patch = applyPatch('*** Begin Patch\n*** Add File: a.txt\n+one\n*** End Patch')
    const { tasks, request, cwd } = await openTasks(calling(patch))
    const { id } = await tasks.start(request('go'), ALICE)
    const { question, proposedRule } = await questionOf(tasks, id)
    expect(question).toMatchObject({
      kind: 'file-change',
      changes: [{ path: path.join(cwd, 'a.txt'), kind: { type: 'add' }, diff: 'one\n' }],
    })
    expect(proposedRule).toBe(`allow path ${path.join(cwd, 'a.txt')}`)
    await tasks.decide((await questionOf(tasks, id)).id, { answer: 'once' }, ALICE)
    await tasks.wait(id, { timeoutMs: 20_000 })
    expect(existsSync(path.join(cwd, 'a.txt'))).toBe(true)
  })
})

it('a standing rule that stands already is not added again', async () => {
  const { tasks } = await openTasks([])
  const rule = { text: 'allow command git status' }
  const first = await tasks.addRule(rule, ALICE)
  expect(await tasks.addRule(rule, ALICE)).toEqual(first)
  expect(await tasks.rules({ revoked: false })).toHaveLength(1)
  await tasks.revokeRule(first.id, ALICE)
  expect((await tasks.addRule(rule, ALICE)).id).not.toBe(first.id)
})
