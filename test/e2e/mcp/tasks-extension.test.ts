// The Tasks extension, frame by frame over HTTP: the client of the official SDK 2.4 does not send it.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { type AuditEntry, connect, readToken } from '../../../src/api/index.ts'
import { message, shell, toolOutputs } from '../../../src/testing/index.ts'
import { namedToken } from '../../support/mcp-clients.ts'
import { serviceStage } from '../../support/service-stage.ts'

const META = 'io.modelcontextprotocol'
const TASKS = { extensions: { [`${META}/tasks`]: {} } }
const ALL = { ...TASKS, elicitation: { form: {} } }

interface Reply {
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number; readonly message: string }
}

const maker = (request: Parameters<typeof toolOutputs>[0]) =>
  toolOutputs(request).length === 0
    ? shell('touch made', { escalate: 'it is wanted' })
    : message('The turn is over.')

async function tasksStage(may: ('read' | 'start' | 'answer-own')[] = ['read', 'start', 'answer-own']) {
  const stage = await serviceStage(maker)
  const { secret } = await namedToken(stage, { name: 'helper', may, ceiling: { sandbox: 'workspace-write' } })
  const send = async (method: string, given: object, capabilities: object = ALL): Promise<Reply> => {
    const params = { ...given, _meta: envelope(capabilities) }
    const { name, taskId } = params as { name?: string; taskId?: string }
    const response = await fetch(new URL('/mcp', stage.record().url), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${secret}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        'mcp-name': name ?? taskId ?? '',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    const text = await response.text()
    return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as Reply
  }
  const start = (capabilities: object = ALL) =>
    send(
      'tools/call',
      {
        name: 'task_start',
        // Some tests start two, and the first may still be at work.
        arguments: { prompt: 'make it', cwd: stage.cwd, sandbox: 'workspace-write', shareFolder: true },
      },
      capabilities,
    )
  /** Polls as a client does. */
  const until = async (taskId: unknown, status: string) => {
    const get = async () => (await send('tasks/get', { taskId })).result
    await expect.poll(async () => (await get())?.status).toBe(status)
    return (await get())!
  }
  return { stage, send, start, until, isMade: () => existsSync(path.join(stage.cwd, 'made')) }
}

function envelope(capabilities: object) {
  return {
    [`${META}/protocolVersion`]: '2026-07-28',
    [`${META}/clientInfo`]: { name: 'a-test', version: '1.0.0' },
    [`${META}/clientCapabilities`]: capabilities,
  }
}

it('a client that declares tasks gets one, answers its question and gets the result', async () => {
  const { stage, send, start, until, isMade } = await tasksStage()
  expect((await send('server/discover', {})).result).toMatchObject({ capabilities: TASKS })
  const { result: created } = await start()
  expect(created).toMatchObject({
    resultType: 'task',
    status: 'working',
    ttlMs: null,
    pollIntervalMs: 2_000,
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
  })
  const { taskId } = created!
  const { inputRequests } = await until(taskId, 'input_required')
  const [[questionId, request]] = Object.entries(inputRequests as object) as [[string, object]]
  expect(request).toMatchObject({
    method: 'elicitation/create',
    params: { mode: 'form', message: expect.stringContaining('    touch made') },
  })
  const answer = (content: object, action = 'accept') =>
    send('tasks/update', { taskId, inputResponses: { [questionId]: { action, content } } })
  expect((await answer({ answer: 'once' }, 'decline')).result).toBeDefined()
  expect((await answer({ answer: 'always' })).result).toBeDefined()
  expect((await send('tasks/get', { taskId })).result).toMatchObject({ status: 'input_required' })
  expect((await answer({ answer: 'once' })).result).toBeDefined()
  const { result } = await until(taskId, 'completed')
  expect(result).toMatchObject({ content: [{ text: expect.stringContaining('The turn is over.') }] })
  expect(isMade()).toBe(true)
  // Twice, and after the end.
  expect((await answer({ answer: 'deny' })).result).toBeDefined()
  expect((await send('tasks/cancel', { taskId })).result).toBeDefined()
  const audit = await stage.json<AuditEntry[]>('audit')
  expect(audit).toMatchObject([{ actor: 'token:helper', answer: 'once' }])
})

it('tasks/cancel interrupts the task', async () => {
  const { send, start, until, isMade } = await tasksStage()
  const { taskId } = (await start()).result!
  await until(taskId, 'input_required')
  expect((await send('tasks/cancel', { taskId })).result).toBeDefined()
  await until(taskId, 'cancelled')
  expect(isMade()).toBe(false)
})

it('who did not declare it gets a result, and who may not answer is asked nothing', async () => {
  const { stage, send, start, isMade } = await tasksStage(['read', 'start'])
  const questions = async (taskId: unknown) => {
    const owner = connect({ url: stage.record().url, token: readToken(stage.dataDir)!, actor: 'test' })
    return (await owner.approvals({ taskId: String(taskId), status: 'pending' })).items
  }
  const plain = (await start({})).result!
  expect(plain).toMatchObject({ resultType: 'complete', content: [{ type: 'text' }] })
  expect(plain).not.toHaveProperty('ttlMs')
  const { taskId } = (await start()).result!
  await expect.poll(async () => (await questions(taskId)).length).toBe(1)
  const { id } = (await questions(taskId))[0]!
  expect((await send('tasks/get', { taskId })).result).toMatchObject({ status: 'working' })
  const asked = await send('tasks/update', {
    taskId,
    inputResponses: { [id]: { action: 'accept', content: { answer: 'once' } } },
  })
  expect(asked.error).toMatchObject({ code: -32602, message: expect.stringMatching(/^not-permitted: /) })
  expect(await send('tasks/update', { taskId })).toMatchObject({
    error: { code: -32602, message: expect.stringMatching(/inputResponses/) },
  })
  expect(isMade()).toBe(false)
  expect(await send('tasks/get', { taskId: 'nobody' })).toMatchObject({
    error: { code: -32602, message: expect.stringMatching(/^task-not-found: /) },
  })
})
