import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openScriptedCodex as open } from '../../../test/support/scripted-codex.ts'
import {
  applyPatch,
  lastUserText,
  message,
  reasoning,
  shell,
  startScriptedModel,
  toolOutputs,
  usage,
} from '../index.ts'

it('streams a message as exactly the deltas it was given', async () => {
  const { codex, model, threadId } = await open([
    message(['Hel', 'lo']),
    message('abcdef', { chunkSize: 2 }),
    message('tick ', { count: 500 }),
  ])
  const texts = []
  for (const prompt of ['one', 'two', 'three']) texts.push((await codex.turn(threadId, prompt)).items[0].text)
  expect(texts).toEqual(['Hello', 'abcdef', 'tick '.repeat(500)])
  const deltas = codex.all('item/agentMessage/delta').map(({ params }) => params.delta)
  expect(deltas.slice(0, 5)).toEqual(['Hel', 'lo', 'ab', 'cd', 'ef'])
  expect(deltas).toHaveLength(505)
  expect(model.requests.map(lastUserText)).toEqual(['one', 'two', 'three'])
  expect(model.requests.map((request) => request.threadId)).toEqual([threadId, threadId, threadId])
})

it('runs a command in the sandbox and gets its output with the next call', async () => {
  const { codex, model, threadId } = await open([
    shell('echo one; echo two', { callId: 'c1' }),
    message('done'),
  ])
  expect(await codex.turn(threadId, 'go')).toMatchObject({ status: 'completed' })
  expect(toolOutputs(model.requests[0]!)).toEqual([])
  expect(toolOutputs(model.requests[1]!)).toEqual([
    { callId: 'c1', text: expect.stringMatching(/exited with code 0[\s\S]*one\ntwo\n$/) },
  ])
})

it('keeps the read-only sandbox closed', async () => {
  const { codex, model, threadId } = await open([shell('touch made; ls -a'), message('done')], {
    thread: { sandbox: 'read-only' },
  })
  await codex.turn(threadId, 'go')
  const { text } = toolOutputs(model.requests[1]!)[0]!
  // stdout and stderr come in either order.
  expect(text).toContain("touch: cannot touch 'made': Read-only file system\n")
  expect(text.split('\n').filter((line) => /^(\.|\.\.|made)$/.test(line))).toEqual(['.', '..'])
})

it('asks for approval before a command that wants out of the sandbox', async () => {
  const { codex, model, threadId } = await open([shell('echo out', { escalate: 'need it' }), message('done')])
  const turn = codex.turn(threadId, 'go')
  const question = await codex.wait(({ method }) => method === 'item/commandExecution/requestApproval')
  expect(question.params.reason).toBe('need it')
  codex.send({ id: question.id, result: { decision: 'accept' } })
  expect(await turn).toMatchObject({ status: 'completed' })
  expect(toolOutputs(model.requests[1]!)[0]!.text).toMatch(/out\n$/)
})

it('applies a patch', async () => {
  const patch = '*** Begin Patch\n*** Add File: a.txt\n+one\n*** End Patch'
  const { codex, cwd, threadId } = await open([applyPatch(patch), message('done')])
  expect(await codex.turn(threadId, 'go')).toMatchObject({ status: 'completed' })
  expect(await readFile(path.join(cwd, 'a.txt'), 'utf8')).toBe('one\n')
  expect(codex.messages).toContainEqual(
    expect.objectContaining({
      method: 'item/completed',
      params: expect.objectContaining({
        item: expect.objectContaining({ type: 'fileChange', status: 'completed' }),
      }),
    }),
  )
})

it('sends several items and the usage in one reply', async () => {
  const { codex, threadId } = await open([
    [
      reasoning(['think', 'ing']),
      message('done'),
      usage({ input: 100, cached: 20, output: 7, reasoning: 3 }),
    ],
  ])
  await codex.turn(threadId, 'go')
  const items = codex.all('item/completed').map(({ params }) => params.item)
  expect(items).toMatchObject([
    { type: 'userMessage' },
    { type: 'reasoning', summary: ['thinking'] },
    { type: 'agentMessage', text: 'done' },
  ])
  expect(codex.all('item/reasoning/summaryTextDelta')).toHaveLength(2)
  expect(codex.all('thread/tokenUsage/updated')[0]!.params.tokenUsage.last).toMatchObject({
    inputTokens: 100,
    cachedInputTokens: 20,
    outputTokens: 7,
    reasoningOutputTokens: 3,
    totalTokens: 107,
  })
})

it('serves many threads at once from a function', async () => {
  const { codex, model, cwd } = await open((request) => {
    const outputs = toolOutputs(request)
    return outputs.length === 0 ? shell(`echo ${lastUserText(request)}`) : message(outputs[0]!.text.slice(-7))
  })
  const names = Array.from({ length: 8 }, (_, index) => `thread${index}`.slice(-6))
  const turns = names.map(async (name) => {
    return codex.turn(await codex.startThread({ cwd, sandbox: 'read-only', approvalPolicy: 'never' }), name)
  })
  const texts = (await Promise.all(turns)).map((turn) => turn.items[0].text)
  expect(texts).toEqual(names.map((name) => `${name}\n`))
  expect(new Set(model.requests.map((request) => request.threadId)).size).toBe(8)
})

it('does not keep a secret it was sent', async () => {
  const model = await startScriptedModel([message('hi')])
  onTestFinished(() => model.close())
  const body = JSON.stringify({ model: 'scripted', input: [] })
  await fetch(`${model.url}/responses`, { method: 'POST', body, headers: { authorization: 'Bearer s3cret' } })
  expect(model.requests[0]!.headers.authorization).toBe('present')
  expect(JSON.stringify(model.requests)).not.toContain('s3cret')
})

it('gives up waiting for calls at the deadline and on close', async () => {
  const model = await startScriptedModel([])
  await expect(model.waitForRequests(1, { timeoutMs: 1 })).rejects.toThrow('0 of 1 model calls within 1 ms')
  const waiting = expect(model.waitForRequests(1)).rejects.toThrow('before the model was closed')
  await model.close()
  await waiting
  await model.close()
})
