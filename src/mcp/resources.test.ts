import { expect, it } from 'vitest'
import { DrawbridgeError } from '../codex/index.ts'
import { answerMcp } from './http-door.ts'
import type { McpCaller, McpTasks } from './mcp-caller.ts'

/** What a client is told, and what is reported here, when the task service throws this. */
async function read(uri: string, thrown: Error, method = 'resources/read') {
  const reported: unknown[] = []
  const fail = () => Promise.reject(thrown)
  const caller: McpCaller = {
    tasks: { get: fail, list: fail } as unknown as McpTasks,
    by: { actor: 'test' },
    scope: 'test',
    mayAnswer: () => false,
    defaultCwd: null,
    hold: () => () => undefined,
    onError: (error) => reported.push(error),
  }
  const request = new Request('http://127.0.0.1/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { uri } }),
  })
  const response = await answerMcp(request, caller, { maxBodyBytes: 10_000 })
  return { text: await response.text(), reported }
}

const defect = new Error('connect ECONNREFUSED 10.0.0.5:5432')

it.each(['resources/read', 'resources/list'])(
  'a defect in %s is reported here and kept from the client',
  async (method) => {
    const { text, reported } = await read('drawbridge://tasks/x', defect, method)
    expect(reported).toEqual([defect])
    expect(text).toContain('internal: something went wrong inside Drawbridge')
    expect(text).not.toContain('10.0.0.5')
  },
)

it('a refusal is told with its code, as tools tell it', async () => {
  const refusal = new DrawbridgeError('there is no task x', { code: 'task-not-found' })
  const { text, reported } = await read('drawbridge://tasks/x', refusal)
  expect(text).toContain('task-not-found: there is no task x')
  expect(reported).toEqual([])
})

it('an address that cannot be decoded is refused', async () => {
  const { text, reported } = await read('drawbridge://tasks/%zz', defect)
  expect(text).toContain('bad-request: ')
  expect(reported).toEqual([])
})
