// The API over the real service and the real codex, spoken to by clients that are not ours.
import { execFile, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { EventSource } from 'eventsource'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type ApiError, connect, readToken, serveApi } from '../../../src/api/index.ts'
import { type ModelScript, message, shell, toolOutputs } from '../../../src/testing/index.ts'
import { openTasks } from '../../support/open-tasks.ts'

const asksFirst: ModelScript = (request) =>
  toolOutputs(request).length > 0
    ? message('It is written.')
    : shell('echo hi > asked.txt', { escalate: 'to write' })

async function openApi(script: ModelScript) {
  const opened = await openTasks(script)
  const { tasks, dataDir } = opened
  const door = await serveApi({ service: tasks, dataDir, port: 0 })
  onTestFinished(() => door.close())
  const token = readToken(dataDir)!
  return { ...opened, door, token, client: connect({ url: door.url, token, actor: 'test' }) }
}

async function curl(args: readonly string[]): Promise<{ status: number; body: unknown }> {
  const { stdout } = await promisify(execFile)('curl', ['-sS', '-m', '30', '-w', '\n%{http_code}', ...args])
  const cut = stdout.lastIndexOf('\n')
  return { status: Number(stdout.slice(cut + 1)), body: JSON.parse(stdout.slice(0, cut)) }
}

describe('curl', () => {
  it('starts a task, waits for its answer and reads its events', async () => {
    const { door, token, request } = await openApi(() => message('Done by curl.'))
    const auth = ['-H', `Authorization: Bearer ${token}`]
    const { status, body } = await curl([
      ...auth,
      '--json',
      JSON.stringify(request('do it')),
      `${door.url}/v1/tasks`,
    ])
    const { id } = body as { id: string }
    expect({ status, body }).toMatchObject({ status: 201, body: { status: 'queued' } })
    const ended = await curl([...auth, '--json', '{"timeoutMs":20000}', `${door.url}/v1/tasks/${id}/wait`])
    expect(ended).toMatchObject({
      status: 200,
      body: { status: 'completed', result: { text: 'Done by curl.' } },
    })
    const page = await curl([...auth, `${door.url}/v1/tasks/${id}/events?after=0`])
    const { events } = page.body as { events: { event: { method: string } }[] }
    expect(events.map(({ event }) => event.method)).toContain('turn/completed')
  })

  it('follows a stream, each event under its sequence', async () => {
    const { door, token, request, tasks } = await openApi(() =>
      message('a b c d', { chunkSize: 2, delayMs: 30 }),
    )
    const { id } = await tasks.start(request('talk'), { actor: 'test' })
    const child = spawn('curl', [
      '-sSN',
      '-m',
      '30',
      '-H',
      `Authorization: Bearer ${token}`,
      `${door.url}/v1/tasks/${id}/events/stream?after=0`,
    ])
    onTestFinished(() => void child.kill())
    const ids: number[] = []
    for await (const line of createInterface({ input: child.stdout })) {
      if (line.startsWith('id:')) ids.push(Number(line.slice(3)))
      if (line.startsWith('data:') && JSON.parse(line.slice(5)).event.method === 'turn/completed') break
    }
    expect(ids.length).toBeGreaterThan(5)
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b))
  })

  it('is told nothing without the token', async () => {
    const { door } = await openApi(() => message('x'))
    expect(await curl([`${door.url}/v1/tasks`])).toMatchObject({
      status: 401,
      body: { error: { code: 'unauthorized' } },
    })
  })
})

describe('a browser-like EventSource', () => {
  it('resumes by Last-Event-ID when the door was closed and opened again, without gap or double', async () => {
    const opened = await openApi(() => message('tick ', { count: 60, delayMs: 40 }))
    const { door, token, tasks, dataDir, request } = opened
    const { id } = await tasks.start(request('tick'), { actor: 'test' })
    const seen: { seq: number; method: string }[] = []
    const headers = { Authorization: `Bearer ${token}` }
    const source = new EventSource(`${door.url}/v1/tasks/${id}/events/stream?after=0`, {
      fetch: (url, init) => fetch(url, { ...init, headers: { ...init?.headers, ...headers } }),
    })
    onTestFinished(() => source.close())
    const ended = Promise.withResolvers<void>()
    const some = Promise.withResolvers<void>()
    source.onmessage = ({ data }) => {
      const { seq, event } = JSON.parse(data)
      seen.push({ seq, method: event.method })
      if (seen.length > 12) some.resolve()
      if (event.method === 'turn/completed') ended.resolve()
    }
    await some.promise
    await door.close()
    const again = await serveApi({ service: tasks, dataDir, port: door.port })
    onTestFinished(() => again.close())
    await ended.promise
    const seqs = seen.map(({ seq }) => seq)
    expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b))
    const stored = (await tasks.events(id, { after: 0 })).events.filter(({ seq }) => seq <= seqs.at(-1)!)
    for (const { seq, method } of stored) expect(seen).toContainEqual({ seq, method })
  })
})

describe('two clients', () => {
  it('that answer at once: one wins, the other is told what won', async () => {
    const { client, door, token, cwd, home } = await openApi(asksFirst)
    const other = connect({ url: door.url, token, actor: 'bob' })
    const { id } = await client.tasks.start({ prompt: 'write', cwd, codexHome: home.path })
    expect(await client.tasks.wait(id, { timeoutMs: 20_000 })).toMatchObject({ status: 'waiting' })
    const [approval] = (await client.approvals({ status: 'pending' })).items
    const answers = await Promise.allSettled([
      client.answer(approval!.id, { answer: 'once' }),
      other.answer(approval!.id, { answer: 'deny', why: 'no' }),
    ])
    const won = answers.filter((answer) => answer.status === 'fulfilled')
    const lost = answers.filter((answer) => answer.status === 'rejected')
    expect([won.length, lost.length]).toEqual([1, 1])
    const { code, status, details } = lost[0]!.reason as ApiError
    expect({ code, status }).toEqual({ code: 'approval-settled', status: 409 })
    expect(details).toMatchObject({ approval: { id: approval!.id, answer: won[0]!.value.answer } })
    expect(await client.tasks.wait(id, { timeoutMs: 20_000 })).toMatchObject({ status: 'completed' })
    expect((await client.audit({})).items).toHaveLength(1)
  })
})

describe('the numbers', () => {
  it('of /metrics are those of the service', async () => {
    const { client, cwd, home } = await openApi(asksFirst)
    const { id } = await client.tasks.start({ prompt: 'write', cwd, codexHome: home.path })
    await client.tasks.wait(id, { timeoutMs: 20_000 })
    const metrics = await client.metrics()
    expect(metrics).toMatch(/drawbridge_tasks\{[^}]*waiting[^}]*\} 1/)
    expect(metrics).toMatch(/drawbridge_\w*approvals\w* 1/)
  })
})
