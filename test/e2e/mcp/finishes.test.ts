// No end of a task is missed, on whatever path it comes: one test for each.
import { describe, expect, it } from 'vitest'
import { httpError, message, shell, toolOutputs } from '../../../src/testing/index.ts'
import { freePort } from '../../support/free-port.ts'
import { type Call, mcpClient, waitUntil } from '../../support/mcp-clients.ts'
import { serviceStage } from '../../support/service-stage.ts'
import { waitsOpen } from '../../support/waiting-calls.ts'

/** A model that answers when the test says so. */
function held() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { script: () => promise.then(() => message('Here it is.')), release: () => resolve() }
}

async function started(call: Call, cwd: string): Promise<string> {
  const { json, text, isError } = await call('task_start', { prompt: 'work', cwd })
  expect({ isError, text }).toMatchObject({ isError: false })
  return json.taskId
}

const isCompleted = ({ json }: { json: Readonly<Record<string, unknown>> }) => json.status === 'completed'

describe.each(['v2 stdio', 'v2 http', 'v1 http'] as const)('with the client %s the end is told', (name) => {
  const open = async (script: Parameters<typeof serviceStage>[0]) => {
    const stage = await serviceStage(script)
    // The same address after a restart.
    stage.env.DRAWBRIDGE_PORT = String(await freePort())
    await stage.json('task', 'list')
    return { stage, ...(await mcpClient(name, stage)) }
  }

  it('while a call waits for it', async () => {
    const { script, release } = held()
    const { stage, call } = await open(script)
    const taskId = await started(call, stage.cwd)
    const waiting = call('task_wait', { taskId, maxWaitS: 60 })
    await waitsOpen(stage, 1)
    release()
    const { json, text } = await waiting
    expect(json.status).toBe('completed')
    expect(text).toContain('answer:\nHere it is.')
  })

  it('between two waits', async () => {
    const { script, release } = held()
    const { stage, call } = await open(script)
    const taskId = await started(call, stage.cwd)
    await stage.model.waitForRequests(1, { timeoutMs: 20_000 })
    const { json } = await call('task_wait', { taskId, maxWaitS: 0 })
    expect(json.status).toBe('working')
    release()
    await stage.cli(['task', 'wait', taskId])
    const end = await call('task_wait', { taskId, cursor: json.cursor })
    expect(end.json.status).toBe('completed')
    expect(end.text).toContain('answer:\nHere it is.')
    // And as often as it is asked.
    expect((await call('task_wait', { taskId, cursor: end.json.cursor })).text).toContain('Here it is.')
  })

  it('after the service was killed and restarted while a call waited', async () => {
    const { script, release } = held()
    const { stage, call } = await open(script)
    const taskId = await started(call, stage.cwd)
    await stage.model.waitForRequests(1, { timeoutMs: 20_000 })
    const { cursor } = (await call('task_wait', { taskId, maxWaitS: 0 })).json
    // The v1 client does not notice that its answer has broken off: it gives up when its patience ends.
    const patience = name === 'v1 http' ? { timeout: 10_000 } : {}
    const waiting = call('task_wait', { taskId, cursor, maxWaitS: 60 }, patience).catch(
      (error: unknown) => error,
    )
    await waitsOpen(stage, 1)
    process.kill(stage.record().pid, 'SIGKILL')
    await stage.json('task', 'list')
    release()
    const first = (await waiting) as Awaited<ReturnType<Call>> | Error
    // On stdio the wait itself goes on; over HTTP the client asks again with its cursor.
    if (name.includes('stdio')) expect(first).toMatchObject({ isError: false, json: { status: 'completed' } })
    else expect(first).toBeInstanceOf(Error)
    const end = await waitUntil(call, taskId, isCompleted, { cursor })
    expect(end.text).toContain('answer:\nHere it is.')
  })

  it('after a question that a person answered elsewhere', async () => {
    const { stage, call } = await open((request) =>
      toolOutputs(request).length === 0 ? shell('date', { escalate: 'to see' }) : message('Here it is.'),
    )
    const taskId = await started(call, stage.cwd)
    const asked = await waitUntil(call, taskId, ({ json }) => json.status === 'waiting')
    // It knows the question: this waits for what comes of it.
    const waiting = call('task_wait', { taskId, cursor: asked.json.cursor, maxWaitS: 60 })
    await waitsOpen(stage, 1)
    expect(await stage.cli(['approve', (asked.json.questions as string[])[0]!])).toMatchObject({ code: 0 })
    const { json, text } = await waiting
    expect(json.status).toBe('completed')
    expect(text).toMatch(/question answered by .*: .*once/)
    expect(text).toContain('answer:\nHere it is.')
  })

  it('when it failed', async () => {
    const { stage, call } = await open(() => httpError(400, { error: { message: 'no such thing' } }))
    const taskId = await started(call, stage.cwd)
    const end = await waitUntil(call, taskId, ({ json }) => json.status === 'failed')
    expect(end.text).toMatch(/error \S+: .*no such thing/)
    expect(end.text).not.toContain('answer:')
  })

  it('when a person interrupted it', async () => {
    const { script } = held()
    const { stage, call } = await open(script)
    const taskId = await started(call, stage.cwd)
    await stage.model.waitForRequests(1, { timeoutMs: 20_000 })
    const waiting = call('task_wait', { taskId, maxWaitS: 60 })
    await waitsOpen(stage, 1)
    expect(await stage.cli(['task', 'interrupt', taskId])).toMatchObject({ code: 0 })
    expect((await waiting).json.status).toBe('interrupted')
  })

  it('to a client that gave up on its call, by its old cursor', async () => {
    const { script, release } = held()
    const { stage, call } = await open(script)
    const taskId = await started(call, stage.cwd)
    await stage.model.waitForRequests(1, { timeoutMs: 20_000 })
    const { cursor } = (await call('task_wait', { taskId, maxWaitS: 0 })).json
    const gaveUp = new AbortController()
    const waiting = call('task_wait', { taskId, cursor, maxWaitS: 240 }, { signal: gaveUp.signal })
    const refused = expect(waiting).rejects.toThrow()
    await waitsOpen(stage, 1)
    gaveUp.abort()
    await refused
    // Its place at the service is free again. The v1 client says so in a request of its own that names no connection:
    // there the wait ends when its time is up.
    if (name !== 'v1 http') await waitsOpen(stage, 0)
    release()
    const end = await waitUntil(call, taskId, isCompleted, { cursor })
    expect(end.text).toContain('answer:\nHere it is.')
  })
})
