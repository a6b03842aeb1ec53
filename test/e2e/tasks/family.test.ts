// Tasks that tasks start: whom they belong to, and how deep they go.
import { expect, it } from 'vitest'
import { functionCall, lastUserText, message, shell, toolOutputs } from '../../../src/testing/index.ts'
import { ALICE, openTasks } from '../../support/open-tasks.ts'
import { questionOf, taskThat } from '../../support/task-facts.ts'

const agents = { namespace: 'multi_agent_v1' }

it('a sub-agent starts tasks below the task it works for', async () => {
  const { tasks, request } = await openTasks((call) => {
    const outputs = toolOutputs(call)
    if (lastUserText(call).includes('plain')) return message('done')
    if (lastUserText(call).includes('CHILD'))
      return outputs.length === 0 ? shell('touch made', { escalate: 'please' }) : message('child is done')
    if (outputs.length === 0) return functionCall('spawn_agent', { message: 'CHILD' }, agents)
    const { agent_id } = JSON.parse(outputs[0]!.text)
    const wait = { targets: [agent_id], timeout_ms: 15_000 }
    return outputs.length === 1 ? functionCall('wait_agent', wait, agents) : message('fine')
  })
  const { id } = await tasks.start(request('go'), ALICE)
  const { question, id: approvalId } = await questionOf(tasks, id)
  const { threadId } = await tasks.get(id)
  expect(question.threadId).not.toBe(threadId)
  const below = request('plain', { parent: { threadId: question.threadId! } })
  expect(await tasks.start(below, ALICE)).toMatchObject({ parent: id, depth: 1 })
  await tasks.decide(approvalId, { answer: 'deny' }, ALICE)
  await taskThat(tasks, id, ({ status }) => status === 'completed')
})

it('a child is refused when it would be too deep, and a fork is as deep as its origin', async () => {
  const { tasks, request } = await openTasks(() => message('done'), { settings: { maxDepth: 1 } })
  const start = (parent?: { taskId: string }) => tasks.start(request('go', { parent, keepOpen: true }), ALICE)
  const top = await start()
  const child = await start({ taskId: top.id })
  await taskThat(tasks, child.id, ({ status }) => status === 'idle')
  await expect(start({ taskId: child.id })).rejects.toMatchObject({
    code: 'too-deep',
    details: { maxDepth: 1, parent: child.id },
  })
  const fork = await tasks.fork(child.id, {}, ALICE)
  expect(fork).toMatchObject({ depth: 1, parent: null, forkedFrom: child.id })
  await expect(start({ taskId: fork.id })).rejects.toMatchObject({ code: 'too-deep' })
  await expect(start({ taskId: 'nothing' })).rejects.toMatchObject({ code: 'task-not-found' })
  await taskThat(tasks, top.id, ({ status }) => status === 'idle')
  await tasks.delete(top.id, ALICE)
  expect(await tasks.get(child.id)).toMatchObject({ parent: top.id, depth: 1 })
})

it('no task starts another where the settings say so', async () => {
  const { tasks, request } = await openTasks(() => message('done'), { settings: { maxDepth: 0 } })
  const top = await tasks.start(request('go'), ALICE)
  const below = request('go', { parent: { taskId: top.id } })
  await expect(tasks.start(below, ALICE)).rejects.toMatchObject({ code: 'too-deep' })
  expect((await tasks.list({})).items).toHaveLength(1)
})

it('what a task starts by itself belongs to the token that it belongs to', async () => {
  const { tasks, request, cwd } = await openTasks(() => message('done'))
  const ceiling = { sandbox: 'read-only', preset: 'ask-all', network: false, folders: [cwd] } as const
  const grant = { tokenId: 'ci-id', name: 'ci', tasks: 'own', may: ['start'], ceiling } as const
  const top = await tasks.start(request('go'), { actor: 'token:ci', grant })
  const below = request('go', { parent: { taskId: top.id } })
  const createdBy = { tokenId: 'ci-id', name: 'ci' }
  expect(await tasks.start(below, { actor: `task:${top.id}` })).toMatchObject({ parent: top.id, createdBy })
  expect(await tasks.start(below, ALICE)).toMatchObject({ parent: top.id, createdBy: null })
  const other = { ...grant, tokenId: 'b-id', name: 'b' }
  expect(await tasks.start(below, { actor: 'token:b', grant: other })).toMatchObject({
    createdBy: { tokenId: 'b-id', name: 'b' },
  })
})
