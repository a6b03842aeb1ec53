// Questions that another client of the app-server answers: answered, by "codex terminal", with what codex shows of it.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  applyPatch,
  functionCall,
  type ModelRequest,
  message,
  type Reply,
  shell,
  toolOutputs,
} from '../../../src/testing/index.ts'
import { ALICE, allEvents, openTasks } from '../../support/open-tasks.ts'
import { otherClient } from '../../support/other-client.ts'
import { paramsOf, questionOf, taskThat } from '../../support/task-facts.ts'

const TOUCH = shell('touch made', { escalate: 'please' })
const PATCH = applyPatch('*** Begin Patch\n*** Add File: made\n+one\n*** End Patch')
const INPUT = functionCall('request_user_input', {
  questions: [
    {
      id: 'sure',
      header: 'Sure',
      question: 'Sure?',
      options: [
        { label: 'Yes', description: 'y' },
        { label: 'No', description: 'n' },
      ],
    },
  ],
})

/** Calls the tool, then is done. */
function calling(call: Reply) {
  return (request: ModelRequest): Reply => (toolOutputs(request).length > 0 ? message('done') : call)
}

/** A task that asks, and another client that has the same question and a way to answer it. */
async function asking(call: Reply, result: unknown, home = {}) {
  const stage = await openTasks(calling(call), { home })
  const go = Promise.withResolvers<void>()
  const answer = async () => {
    await go.promise
    return result as never
  }
  const { id } = await stage.tasks.start(stage.request('go'), ALICE)
  const question = await questionOf(stage.tasks, id)
  const other = await otherClient(stage, {
    handlers: {
      'item/commandExecution/requestApproval': answer,
      'item/fileChange/requestApproval': answer,
      'item/tool/requestUserInput': answer,
    },
  })
  await other.resume((await stage.tasks.get(id)).threadId)
  return { ...stage, other, id, question, answerThere: () => go.resolve() }
}

const userInput = { config: { 'features.default_mode_request_user_input': true } }

describe('a question that another client answers', () => {
  it.each([
    ['once', 'a command', TOUCH, { decision: 'accept' }, 'completed', true],
    ['once', 'a command for the session', TOUCH, { decision: 'acceptForSession' }, 'completed', true],
    ['deny', 'a command', TOUCH, { decision: 'decline' }, 'completed', false],
    ['cancel', 'a command', TOUCH, { decision: 'cancel' }, 'interrupted', false],
    ['once', 'a change', PATCH, { decision: 'accept' }, 'completed', true],
    ['deny', 'a change', PATCH, { decision: 'decline' }, 'completed', false],
    ['cancel', 'a change', PATCH, { decision: 'cancel' }, 'interrupted', false],
    [null, 'a question', INPUT, { answers: { sure: { answers: ['Yes'] } } }, 'completed', false],
  ] as const)('%s to %s', async (answer, _, call, result, status, isMade) => {
    const { tasks, id, question, answerThere, cwd } = await asking(call, result, userInput)
    answerThere()
    const ended = await taskThat(tasks, id, (task) => task.status === status)
    expect(existsSync(path.join(cwd, 'made'))).toBe(isMade)
    const by = { by: 'person', actor: 'codex terminal', answer }
    expect(await tasks.approval(question.id)).toMatchObject({ status: 'answered', ...by })
    expect((await tasks.audit({ taskId: id })).items).toMatchObject([{ approvalId: question.id, ...by }])
    const told = (await allEvents(tasks, id)).filter(({ method }) => method === 'drawbridge/approval')
    expect(paramsOf(told.at(-1)!)).toMatchObject({ status: 'answered', ...by })
    if (answer === 'cancel') expect(ended.reason).toMatch(/^codex terminal answered ".*" with cancel$/)
  })

  it('can no longer be answered here, also before codex shows what it was', async () => {
    const call = shell('touch made; sleep 3', { escalate: 'please' })
    const { tasks, id, question, answerThere } = await asking(call, { decision: 'accept' })
    answerThere()
    await taskThat(tasks, id, ({ status }) => status === 'working')
    expect(await tasks.approval(question.id)).toMatchObject({ status: 'answered', actor: 'codex terminal' })
    await expect(tasks.decide(question.id, { answer: 'deny' }, ALICE)).rejects.toMatchObject({
      code: 'approval-settled',
      message: 'it was answered already, by codex terminal',
    })
    await taskThat(tasks, id, ({ status }) => status === 'completed')
    expect(await tasks.approval(question.id)).toMatchObject({ answer: 'once' })
    expect((await tasks.audit({ taskId: id })).items).toHaveLength(1)
  })

  it('is not answered, but withdrawn, when the turn is interrupted there', async () => {
    const { tasks, id, question, other } = await asking(TOUCH, {})
    const { threadId, turnId } = await tasks.get(id)
    await other.codex.request('turn/interrupt', { threadId: threadId!, turnId: turnId! })
    await taskThat(tasks, id, ({ status }) => status === 'interrupted')
    expect(await tasks.approval(question.id)).toMatchObject({ status: 'withdrawn', actor: null, by: null })
    expect((await tasks.audit({ taskId: id })).items).toEqual([])
  })

  it('is gone there when it was answered here', async () => {
    const stage = await openTasks(calling(TOUCH))
    const { tasks, request, cwd } = stage
    const { id } = await tasks.start(request('go'), ALICE)
    const question = await questionOf(tasks, id)
    const asked = Promise.withResolvers<void>()
    const gone = Promise.withResolvers<unknown>()
    const other = await otherClient(stage, {
      onApproval: (_, { signal }) => {
        signal.addEventListener('abort', () => gone.resolve(signal.reason))
        asked.resolve()
        return new Promise<never>(() => {})
      },
    })
    await other.resume((await tasks.get(id)).threadId)
    await asked.promise
    await tasks.decide(question.id, { answer: 'once' }, ALICE)
    expect(await gone.promise).toMatchObject({ code: 'answered-elsewhere' })
    await taskThat(tasks, id, ({ status }) => status === 'completed')
    expect(existsSync(path.join(cwd, 'made'))).toBe(true)
    expect((await tasks.audit({ taskId: id })).items).toMatchObject([{ answer: 'once', actor: 'test:alice' }])
  })
})

describe('a question that is answered while the service is gone', () => {
  it('is answered by the codex terminal when it is back, and the turn is settled with its result', async () => {
    const { id, question, answerThere, close, open, other } = await asking(TOUCH, { decision: 'accept' })
    const ended = Promise.withResolvers<void>()
    other.codex.subscribe(({ method }) => {
      if (method === 'turn/completed') ended.resolve()
    })
    await close()
    answerThere()
    await ended.promise
    const { tasks } = await open()
    const task = await taskThat(tasks, id, ({ status }) => status === 'completed')
    expect(task).toMatchObject({ turnCount: 1, result: { text: 'done' } })
    const by = { actor: 'codex terminal', answer: 'once' }
    expect(await tasks.approval(question.id)).toMatchObject({ status: 'answered', ...by })
    expect((await tasks.audit({ taskId: id })).items).toMatchObject([by])
  })

  it('also when its turn goes on', async () => {
    const call = shell('touch made; sleep 5', { escalate: 'please' })
    const { id, question, answerThere, close, open, other } = await asking(call, { decision: 'accept' })
    const answered = Promise.withResolvers<void>()
    other.codex.subscribe(({ method }) => {
      if (method === 'serverRequest/resolved') answered.resolve()
    })
    await close()
    answerThere()
    await answered.promise
    const { tasks } = await open()
    await taskThat(tasks, id, ({ status, openApprovals }) => status === 'working' && openApprovals === 0)
    expect(await tasks.approval(question.id)).toMatchObject({ status: 'answered', actor: 'codex terminal' })
    await taskThat(tasks, id, ({ status }) => status === 'completed')
    expect((await tasks.audit({ taskId: id })).items).toHaveLength(1)
  })
})
