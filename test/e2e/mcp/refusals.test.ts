// What a caller may not do is refused with what would be needed, and nothing of it happens.
import { describe, expect, it } from 'vitest'
import { connect, readToken, type Task } from '../../../src/api/index.ts'
import { message, shell, toolOutputs } from '../../../src/testing/index.ts'
import { mcpClient, namedToken, waitUntil } from '../../support/mcp-clients.ts'
import { serviceStage } from '../../support/service-stage.ts'

const asker = (request: Parameters<typeof toolOutputs>[0]) =>
  toolOutputs(request).length === 0 ? shell('date', { escalate: 'to see' }) : message('fine')

describe('an agent with the token that is made for it', () => {
  it('starts tasks, is told that people answer, and cannot answer', async () => {
    const stage = await serviceStage(asker)
    const { call } = await mcpClient('v2 stdio', stage)
    const { taskId } = (await call('task_start', { prompt: 'look', cwd: stage.cwd })).json
    const asked = await waitUntil(call, taskId, ({ json }) => json.status === 'waiting')
    expect(asked.text).toContain('You may not answer: a person does')
    const [questionId] = asked.json.questions as string[]
    const refused = await call('task_answer', { questionId, decision: 'once' })
    expect(refused.isError).toBe(true)
    expect(refused.text).toMatch(/^not-permitted: the token mcp may not answer .*needs "answer/)
    expect(await stage.json<Task>('task', 'show', taskId)).toMatchObject({
      task: { openApprovals: 1, createdBy: { name: 'mcp' } },
    })
  })

  it('sees no tasks of others, and asks for no more than its ceiling', async () => {
    const stage = await serviceStage(() => message('done'))
    const { id } = await stage.start('of a person')
    const { call } = await mcpClient('v2 stdio', stage)
    expect((await call('task_list')).text).toBe('No tasks.')
    for (const tool of ['task_show', 'task_wait', 'task_result', 'task_interrupt', 'task_fork'])
      expect(await call(tool, { taskId: id })).toMatchObject({
        isError: true,
        text: expect.stringMatching(/^task-not-found: /),
      })
    const wide = await call('task_start', { prompt: 'x', cwd: stage.cwd, network: true })
    expect(wide).toMatchObject({
      isError: true,
      text: expect.stringContaining('needs a token with --network'),
    })
    const foreign = await call('task_start', { prompt: 'x', cwd: stage.cwd, notify: ['local'] })
    expect(foreign.text).toMatch(/^not-permitted: .*choose who is notified/)
    expect((await call('task_list')).text).toBe('No tasks.')
  })

  it('is not given another when a person has revoked it', async () => {
    const stage = await serviceStage(() => message('done'))
    const first = await mcpClient('v2 stdio', stage)
    expect((await first.call('task_list')).text).toBe('No tasks.')
    const owner = connect({ url: stage.record().url, token: readToken(stage.dataDir)! })
    await owner.revokeToken('mcp')
    expect(await first.call('task_list')).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^not-permitted/),
    })
    const second = await mcpClient('v2 stdio', stage)
    expect((await second.call('task_list')).text).toMatch(
      /^not-permitted: the token mcp is revoked: make one with `.*drawbridge token add mcp`/,
    )
    expect(await owner.tokens()).toHaveLength(1)
  })
})

it('clientRequestIds start one task, and are of their token alone', async () => {
  const stage = await serviceStage(() => message('done'))
  const tokens = [await namedToken(stage, { name: 'one' }), await namedToken(stage, { name: 'two' })]
  const clients = await Promise.all(tokens.map((token) => mcpClient('v2 http', stage, { token })))
  const request = { prompt: 'x', cwd: stage.cwd, clientRequestId: 'r-1' }
  const [one, again, two] = [
    await clients[0]!.call('task_start', request),
    await clients[0]!.call('task_start', request),
    await clients[1]!.call('task_start', request),
  ]
  expect(again.json.taskId).toBe(one.json.taskId)
  expect(two.json.taskId).not.toBe(one.json.taskId)
  const other = await clients[0]!.call('task_start', { ...request, prompt: 'y' })
  expect(other).toMatchObject({ isError: true, text: expect.stringMatching(/^idempotency-mismatch: /) })
})

it('a token that may answer and not read is told that its answer was taken', async () => {
  const stage = await serviceStage(asker)
  const token = await namedToken(stage, { name: 'doorkeeper', tasks: 'all', may: ['answer'] })
  const { id } = await stage.start('look')
  const { id: questionId } = await stage.question()
  const { call } = await mcpClient('v2 http', stage, { token })
  expect(await call('task_show', { taskId: id })).toMatchObject({ isError: true })
  const answered = await call('task_answer', { questionId, decision: 'once' })
  expect(answered).toMatchObject({ isError: false, json: { questionId, answered: 'once' } })
  expect(answered.text).toMatch(/^The task cannot be shown: not-permitted: /m)
})
