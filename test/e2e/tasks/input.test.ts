// What codex wants to know rather than to do: forms, secrets, questions of sub-agents and questions in messages.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Task } from '../../../src/tasks/index.ts'
import {
  functionCall,
  lastUserText,
  type ModelRequest,
  message,
  type Reply,
  shell,
  toolOutputs,
} from '../../../src/testing/index.ts'
import { MCP, mcpServer } from '../../support/mcp-server.ts'
import { ALICE, openTasks } from '../../support/open-tasks.ts'
import { eventThat, questionOf, questionsOf, runTask, taskThat } from '../../support/task-facts.ts'

function calling(call: Reply) {
  return (request: ModelRequest): Reply => {
    const [output] = toolOutputs(request)
    return output ? message(`told ${output.text}`) : call
  }
}

const options = [
  { label: 'Yes', description: 'go' },
  { label: 'No', description: 'stay' },
]
const questions = [
  { id: 'go', header: 'Go', question: 'Shall we?', options },
  { id: 'token', header: 'Token', question: 'Which token?', is_secret: true, isSecret: true, options },
]
const asksUser = functionCall('request_user_input', { questions }, { callId: 'call-1' })
const userInput = { home: { config: { 'features.default_mode_request_user_input': true } } }

describe('a question to the user', () => {
  it('is answered with values, which reach the model as they were given', async () => {
    const { tasks, request, model } = await openTasks(calling(asksUser), userInput)
    const { id } = await tasks.start(request('go'), ALICE)
    const question = await questionOf(tasks, id)
    expect(question).toMatchObject({
      kind: 'user-input',
      question: { questions: [{ id: 'go' }, { id: 'token', isSecret: true }] },
    })
    expect(await tasks.get(id)).toMatchObject({ status: 'waiting', waitingFor: 'input' })
    await expect(
      tasks.decide(question.id, { answer: { answers: { other: ['x'] } } }, ALICE),
    ).rejects.toMatchObject({ code: 'bad-answer' })
    const secret = 'correct-horse-battery-staple'
    await tasks.decide(question.id, { answer: { answers: { go: ['Yes'], token: [secret] } } }, ALICE)
    expect(await tasks.wait(id, { timeoutMs: 20_000 })).toMatchObject({ status: 'completed' })
    const told = toolOutputs(model.requests[1]!)[0]!.text
    expect(JSON.parse(told)).toEqual({ answers: { go: { answers: ['Yes'] }, token: { answers: [secret] } } })
    expect(await tasks.approval(question.id)).toMatchObject({
      answer: { answers: { go: ['Yes'], token: ['(secret)'] } },
    })
  })

  it('leaves nothing of a secret in the files when the model keeps it to itself', async () => {
    const secret = 'correct-horse-battery-staple'
    const { tasks, request, isStored, close } = await openTasks(
      (call) => (toolOutputs(call).length > 0 ? message('thanks') : asksUser),
      userInput,
    )
    const { id } = await tasks.start(request('go'), ALICE)
    const question = await questionOf(tasks, id)
    await tasks.decide(question.id, { answer: { answers: { go: ['Yes'], token: [secret] } } }, ALICE)
    expect(await tasks.wait(id, { timeoutMs: 20_000 })).toMatchObject({ status: 'completed' })
    expect(await isStored('Which token?')).toBe(true)
    expect(await isStored(secret)).toBe(false)
    await close()
    expect(await isStored(secret)).toBe(false)
  })
})

describe('a form of an MCP server', () => {
  const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
  const asksForm = functionCall('form', { message: 'Who?', requestedSchema: schema }, { namespace: MCP })

  it('is shown with its schema, and gets what is filled in', async () => {
    const { tasks, request } = await openTasks(calling(asksForm), { home: { toml: mcpServer().toml } })
    const { id } = await tasks.start(request('go'), ALICE)
    const question = await questionOf(tasks, id)
    expect(question).toMatchObject({ kind: 'elicitation', question: { message: 'Who?', schema } })
    expect(await tasks.get(id)).toMatchObject({ status: 'waiting', waitingFor: 'input' })
    await tasks.decide(question.id, { answer: { content: { name: 'Ada' } } }, ALICE)
    const task = await tasks.wait(id, { timeoutMs: 20_000 })
    expect(task.result!.text).toContain('Ada')
  })

  it('whose answer holds something like a key is kept without it', async () => {
    const secret = 'sk-proj-Zx81kQ0vN5tYpLw3mB7rDfGhJ2cVbXs94TuEaRiO'
    const { tasks, request, isStored, model } = await openTasks(
      (call) => (toolOutputs(call).length > 0 ? message('thanks') : asksForm),
      { home: { toml: mcpServer().toml } },
    )
    const { id } = await tasks.start(request('go'), ALICE)
    const question = await questionOf(tasks, id)
    await tasks.decide(question.id, { answer: { content: { name: secret } } }, ALICE)
    await tasks.wait(id, { timeoutMs: 20_000 })
    expect(toolOutputs(model.requests[1]!)[0]!.text).toContain(secret)
    expect(await isStored(secret)).toBe(false)
  })

  it('a tool that is asked about can be allowed always', async () => {
    const server = mcpServer()
    const { tasks, request } = await openTasks(calling(functionCall('danger', {}, { namespace: MCP })), {
      home: { toml: server.toml },
    })
    const { id } = await tasks.start(request('go'), ALICE)
    const question = await questionOf(tasks, id)
    expect(question).toMatchObject({ kind: 'mcp-tool', proposedRule: 'allow mcp asker.danger' })
    await tasks.decide(question.id, { answer: 'always' }, ALICE)
    await tasks.wait(id, { timeoutMs: 20_000 })
    expect(await runTask(tasks, request('again'))).toMatchObject({ status: 'completed' })
    expect(server.runs()).toBe(2)
  })
})

describe('a sub-agent', () => {
  const agents = { namespace: 'multi_agent_v1' }

  it('asks for the task it works for, and what it does is in that task’s log', async () => {
    const { tasks, request, cwd } = await openTasks((call) => {
      const outputs = toolOutputs(call)
      if (lastUserText(call).includes('CHILD'))
        return outputs.length === 0 ? shell('touch made', { escalate: 'please' }) : message('child is done')
      if (outputs.length === 0) return functionCall('spawn_agent', { message: 'CHILD' }, agents)
      const { agent_id } = JSON.parse(outputs[0]!.text)
      const wait = { targets: [agent_id], timeout_ms: 15_000 }
      return outputs.length === 1 ? functionCall('wait_agent', wait, agents) : message('fine')
    })
    const { id } = await tasks.start(request('go'), ALICE)
    const question = await questionOf(tasks, id)
    const task = await tasks.get(id)
    expect(task).toMatchObject({ status: 'waiting', waitingFor: 'approval' })
    expect(question.question.parent).toMatchObject({ threadId: task.threadId, turnId: task.turnId })
    await tasks.decide(question.id, { answer: 'once' }, ALICE)
    expect(await taskThat(tasks, id, ({ status }) => status === 'completed')).toMatchObject({
      result: { text: 'fine' },
    })
    expect(existsSync(path.join(cwd, 'made'))).toBe(true)
    await eventThat(
      tasks,
      id,
      ({ method, frame }) => method === 'item/completed' && frame.includes('child is done'),
    )
  })
})

describe('a question in a message', () => {
  const ask = (title: string) =>
    functionCall('request_user_input_async', { questions: [{ title }] }, { namespace: 'functions' })
  const script =
    (...titles: string[]) =>
    (call: ModelRequest): Reply => {
      if (lastUserText(call) !== 'go') return message(`thanks for ${lastUserText(call).split('\n').at(-1)}`)
      return toolOutputs(call).length === 0 ? titles.map(ask) : message('over to you')
    }
  const gpt6 = { home: { modelName: 'gpt-6-sol' } }
  const isWaiting = ({ status, turnId }: Task) => status === 'waiting' && turnId === null

  it('leaves the task waiting for input when its turn is over, and the answer is the next turn', async () => {
    const { tasks, request } = await openTasks(script('Which colour?'), gpt6)
    const { id } = await tasks.start(request('go'), ALICE)
    const waiting = await taskThat(tasks, id, isWaiting)
    expect(waiting).toMatchObject({
      waitingFor: 'input',
      reason: 'Which colour?',
      openApprovals: 1,
      result: { text: 'over to you' },
    })
    const question = await questionOf(tasks, id)
    await tasks.decide(question.id, { answer: { answers: { q1: ['Green'] } } }, ALICE)
    const task = await taskThat(tasks, id, ({ status }) => status === 'completed')
    expect(task).toMatchObject({ turnCount: 2, openApprovals: 0, result: { text: 'thanks for Green' } })
  })

  it('that is denied leaves the task done', async () => {
    const { tasks, request, model } = await openTasks(script('Which colour?'), gpt6)
    const { id } = await tasks.start(request('go'), ALICE)
    await taskThat(tasks, id, isWaiting)
    await tasks.decide((await questionOf(tasks, id)).id, { answer: 'deny' }, ALICE)
    expect(await tasks.get(id)).toMatchObject({ status: 'completed', turnId: null, openApprovals: 0 })
    expect(model.requests).toHaveLength(2)
  })

  it('is not settled by the answer to another, but by another message', async () => {
    const { tasks, request } = await openTasks(script('First?', 'Second?'), gpt6)
    const { id } = await tasks.start(request('go'), ALICE)
    await taskThat(tasks, id, isWaiting)
    const [first, second] = await questionsOf(tasks, id, 2)
    await tasks.decide(second!.id, { answer: { answers: { q1: ['two'] } } }, ALICE)
    await taskThat(tasks, id, (task) => isWaiting(task) && task.turnCount === 2)
    expect(await tasks.approval(first!.id)).toMatchObject({ status: 'pending' })
    await tasks.send(id, { input: 'never mind', mode: 'queue' }, ALICE)
    await taskThat(tasks, id, ({ status, turnCount }) => status === 'completed' && turnCount === 3)
    expect(await tasks.approval(first!.id)).toMatchObject({
      status: 'withdrawn',
      why: 'another message was sent instead',
    })
  })

  it('asked while no service runs is found by the next one', async () => {
    const gate = Promise.withResolvers<void>()
    const asks = script('Which colour?')
    const { tasks, request, close, open, model } = await openTasks(async (call) => {
      await gate.promise
      return asks(call)
    }, gpt6)
    const { id } = await tasks.start(request('go'), ALICE)
    await model.waitForRequests(1)
    await taskThat(tasks, id, ({ status }) => status === 'working')
    await close()
    gate.resolve()
    await model.waitForRequests(2)
    const again = await open()
    await taskThat(again.tasks, id, isWaiting)
    const question = await questionOf(again.tasks, id)
    expect(question).toMatchObject({ kind: 'user-input', question: { title: 'Which colour?' } })
    await again.tasks.decide(question.id, { answer: { answers: { q1: ['Blue'] } } }, ALICE)
    const task = await taskThat(again.tasks, id, ({ status }) => status === 'completed')
    expect(task).toMatchObject({ turnCount: 2, result: { text: 'thanks for Blue' } })
  })

  it('still open when the service is restarted can be answered then', async () => {
    const { tasks, request, close, open } = await openTasks(script('Which colour?'), gpt6)
    const { id } = await tasks.start(request('go'), ALICE)
    await taskThat(tasks, id, isWaiting)
    await close()
    const again = await open()
    expect(await again.tasks.get(id)).toMatchObject({ status: 'waiting', waitingFor: 'input' })
    await again.tasks.decide(
      (await questionOf(again.tasks, id)).id,
      { answer: { answers: { q1: ['Red'] } } },
      ALICE,
    )
    const task = await taskThat(again.tasks, id, ({ status }) => status === 'completed')
    expect(task.result).toMatchObject({ text: 'thanks for Red' })
  })
})
