// Every tool and every resource on the real service.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { applyPatch, functionCall, lastUserText, message, toolOutputs } from '../../../src/testing/index.ts'
import { mcpClient, waitUntil } from '../../support/mcp-clients.ts'
import { serviceStage } from '../../support/service-stage.ts'

const isCompleted = ({ json }: { json: Readonly<Record<string, unknown>> }) => json.status === 'completed'

it('tasks are listed, shown, sent more, steered, forked and interrupted', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const stage = await serviceStage(async (request) => {
    if (lastUserText(request) === 'hold') await released
    return message(`Heard: ${lastUserText(request)}`)
  })
  const { call } = await mcpClient('v2 stdio', stage)
  const first = (await call('task_start', { prompt: 'one', cwd: '.', title: 'The first', timeoutS: 600 }))
    .json
  await waitUntil(call, first.taskId, isCompleted)
  const sent = await call('task_send', { taskId: first.taskId, text: 'two', clientRequestId: 'm-1' })
  expect(sent.json).toMatchObject({ taskId: first.taskId, mode: 'queue' })
  const again = await call('task_send', { taskId: first.taskId, text: 'two', clientRequestId: 'm-1' })
  expect(again).toMatchObject({ isError: false, json: { messageId: sent.json.messageId } })
  const second = await waitUntil(call, first.taskId, ({ text }) => text.includes('answer:\nHeard: two'))
  expect(second.text).toContain('codex: Heard: one')
  const fork = await call('task_fork', { taskId: first.taskId, prompt: 'hold', title: 'A branch' })
  expect(fork.json.forkedFrom).toBe(first.taskId)
  await stage.model.waitForRequests(3, { timeoutMs: 20_000 })
  const { taskId } = fork.json
  const steered = await call('task_send', { taskId, text: 'and this', mode: 'steer' })
  expect(steered).toMatchObject({ isError: false, json: { mode: 'steer' } })
  await call('task_interrupt', { taskId })
  const ended = await waitUntil(call, taskId, ({ json }) => json.status === 'interrupted')
  expect(ended.text).toContain('status interrupted')
  expect(await call('task_send', { taskId, text: 'x', mode: 'steer' })).toMatchObject({
    isError: true,
    text: expect.stringMatching(/^not-running: /),
  })
  release()
  await call('task_send', { taskId, text: 'go on', mode: 'resume' })
  await waitUntil(call, taskId, ({ text }) => text.includes('answer:\nHeard: go on'))
  const listed = await call('task_list', { limit: 1 })
  expect(listed.json).toMatchObject({ taskId, title: 'A branch', status: 'completed' })
  const { page } = JSON.parse(listed.text.split('\n').at(-1)!)
  expect((await call('task_list', { limit: 1, page })).json).toMatchObject({ title: 'The first' })
  const shown = await call('task_show', { taskId: first.taskId })
  expect(shown.text).toMatch(/^title: The first$/m)
  expect(shown.text).toMatch(/^sandbox read-only, approvals ask-all/m)
})

it('long answers come in pieces, values that were asked for are given, models and notices are told', async () => {
  const long = `${'Many words. '.repeat(5_000)}The end.`
  const questions = [
    { id: 'colour', header: 'Colour', question: 'Which?', options: [{ label: 'Red', description: 'warm' }] },
  ]
  const stage = await serviceStage(
    (request) =>
      toolOutputs(request).length === 0 ? functionCall('request_user_input', { questions }) : message(long),
    { config: { 'features.default_mode_request_user_input': true } },
  )
  await stage.json('task', 'list')
  const { call } = await mcpClient('v2 http', stage)
  const { taskId } = (await call('task_start', { prompt: 'ask', cwd: stage.cwd, notify: ['local'] })).json
  const asked = await waitUntil(call, taskId, ({ json }) => json.status === 'waiting')
  expect(asked.text).toContain('- colour: Which? [Red]')
  const [questionId] = asked.json.questions as string[]
  expect(await call('task_answer', { questionId })).toMatchObject({
    isError: true,
    text: expect.stringMatching(/exactly one/),
  })
  expect(await call('task_answer', { questionId, answers: { colour: 'Red' } })).toMatchObject({
    isError: false,
  })
  expect(await call('task_answer', { questionId, decision: 'deny' })).toMatchObject({
    isError: true,
    text: expect.stringMatching(/^approval-settled: /),
  })
  const end = await waitUntil(call, taskId, isCompleted, { cursor: asked.json.cursor })
  expect(end.text.length).toBeLessThan(20_000)
  expect(end.text).toContain(`The answer has ${long.length} characters: task_result gives all of it.`)
  let whole = ''
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const piece = await call('task_result', { taskId, offset })
    whole += piece.text.slice(piece.text.indexOf('\n') + 1)
    offset = piece.json.nextOffset as number | undefined
  }
  expect(whole).toBe(long)
  expect((await call('codex_models')).json).toMatchObject({
    model: expect.any(String),
    efforts: expect.any(Array),
  })
  await expect
    .poll(async () => (await call('task_notices', { taskId, status: 'sent' })).text)
    .toContain('"cause":"ended"')
  const dry = await call('task_notices', { taskId, dryRun: true })
  expect(dry.json).toMatchObject({ taskId, wouldSend: expect.anything() })
  expect((await call('task_notices', { taskId, send: true })).text).toBe('No notices.')
})

it('a task is a resource, with its transcript and its diff', async () => {
  const patch = '*** Begin Patch\n*** Add File: new.txt\n+hello\n*** End Patch'
  const stage = await serviceStage((request) =>
    toolOutputs(request).length === 0 ? applyPatch(patch) : message('The file is written.'),
  )
  writeFileSync(path.join(stage.cwd, 'old.txt'), 'old\n')
  const { call, client } = await mcpClient('v2 stdio', stage)
  const start = { prompt: 'write it', cwd: stage.cwd, sandbox: 'workspace-write', preset: 'workspace' }
  const { taskId } = (await call('task_start', start)).json
  await waitUntil(call, taskId, isCompleted)
  const { resourceTemplates } = await client.listResourceTemplates()
  expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
    'drawbridge://tasks/{id}',
    'drawbridge://tasks/{id}/transcript',
    'drawbridge://tasks/{id}/diff',
  ])
  const { resources } = await client.listResources()
  expect(resources).toMatchObject([{ uri: `drawbridge://tasks/${taskId}`, name: 'write it' }])
  const read = async (uri: string) => {
    const { contents } = await client.readResource({ uri })
    return (contents[0] as { text: string }).text
  }
  expect(await read(`drawbridge://tasks/${taskId}`)).toContain('answer:\nThe file is written.')
  const transcript = await read(`drawbridge://tasks/${taskId}/transcript`)
  expect(transcript).toMatch(/\[user\] write it[\s\S]*\[apply_patch\][\s\S]*\[codex\] The file is written\./)
  expect(await read(`drawbridge://tasks/${taskId}/diff`)).toMatch(/new\.txt[\s\S]*\+hello/)
})
