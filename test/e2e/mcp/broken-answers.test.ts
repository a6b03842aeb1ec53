// The service did what it was asked, and its answer never came: nothing is done twice, and nothing is told wrongly.
import { expect, it } from 'vitest'
import { httpError, message, shell, toolOutputs } from '../../../src/testing/index.ts'
import { answerCutter } from '../../support/answer-cutter.ts'
import { mcpClient, namedToken, waitUntil } from '../../support/mcp-clients.ts'
import { serviceStage } from '../../support/service-stage.ts'

/** A client on stdio with a task that has failed once. */
async function failedTask() {
  let asked = 0
  const stage = await serviceStage(() =>
    asked++ === 0 ? httpError(400, { error: { message: 'no such thing' } }) : message('Here it is.'),
  )
  await stage.json('task', 'list')
  const { call } = await mcpClient('v2 stdio', stage)
  const { taskId } = (await call('task_start', { prompt: 'work', cwd: stage.cwd })).json
  await waitUntil(call, taskId, ({ json }) => json.status === 'failed')
  return { stage, call, taskId }
}

it('a resume is not repeated: the client is told to look', async () => {
  const { stage, call, taskId } = await failedTask()
  const cutter = await answerCutter(stage)
  const again = await mcpClient('v2 stdio', stage)
  await again.call('task_list')
  cutter.cut(/resume$/)
  const resume = { taskId, text: 'go on', mode: 'resume' }
  expect(await again.call('task_send', resume)).toMatchObject({
    isError: true,
    text: expect.stringMatching(/^unreachable: .* It may have been done: look at the task before you repeat/),
  })
  expect(cutter.seen.filter((line) => line.endsWith('/resume'))).toHaveLength(1)
  const end = await waitUntil(call, taskId, ({ json }) => json.status === 'completed')
  expect(end.text).toContain('answer:\nHere it is.')
})

it('a resume finds a service that was restarted, and takes no clientRequestId', async () => {
  const { stage, call, taskId } = await failedTask()
  process.kill(stage.record().pid, 'SIGKILL')
  await stage.json('task', 'list')
  const resume = { taskId, text: 'go on', mode: 'resume' }
  expect(await call('task_send', { ...resume, clientRequestId: 'r-1' })).toMatchObject({
    isError: true,
    text: expect.stringMatching(/^bad-request: resume takes no clientRequestId/),
  })
  expect(await call('task_send', resume)).toMatchObject({ isError: false, json: { taskId } })
  const end = await waitUntil(call, taskId, ({ json }) => json.status === 'completed')
  expect(end.text).toContain('answer:\nHere it is.')
})

it('an answer that won is told so when it is repeated; another one came too late', async () => {
  const stage = await serviceStage((request) =>
    toolOutputs(request).length === 0 ? shell('date', { escalate: 'to see' }) : message('Here it is.'),
  )
  const token = await namedToken(stage, { name: 'worker', may: ['read', 'start', 'answer-own'] })
  const cutter = await answerCutter(stage)
  const { call } = await mcpClient('v2 stdio', stage, { token })
  const { taskId } = (await call('task_start', { prompt: 'look', cwd: stage.cwd })).json
  const asked = await waitUntil(call, taskId, ({ json }) => json.status === 'waiting')
  const [questionId] = asked.json.questions as string[]
  const path = `/v1/approvals/${questionId}`
  cutter.cut(new RegExp(`${path}$`))
  const answered = await call('task_answer', { questionId, decision: 'once' })
  expect(answered).toMatchObject({ isError: false, json: { questionId, answered: 'once' } })
  expect(cutter.seen.filter((line) => line === `POST ${path}`)).toHaveLength(2)
  expect(await call('task_answer', { questionId, decision: 'once' })).toMatchObject({
    isError: true,
    text: expect.stringMatching(/^approval-settled: it was answered already, by token:worker/),
  })
})
