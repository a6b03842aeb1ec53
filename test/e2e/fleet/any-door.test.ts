// Every operation on a task, from a worker that does not have it: as if it had.
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import type { TaskEvent } from '../../../src/tasks/index.ts'
import {
  functionCall,
  lastUserText,
  type ModelRequest,
  message,
  type Reply,
  shell,
  toolOutputs,
} from '../../../src/testing/index.ts'
import { openFleet } from '../../support/open-fleet.ts'
import { ALICE, allEvents } from '../../support/open-tasks.ts'
import { questionOf, taskThat } from '../../support/task-facts.ts'

const BOB = { actor: 'test:bob' }

/** Asks for leave to run a command, then says what came of it. */
const asking = (request: ModelRequest): Reply => {
  const outputs = toolOutputs(request)
  return outputs.length > 0
    ? message(`told ${outputs.map(({ text }) => text).join()}`)
    : shell('touch made', { escalate: 'please' })
}

async function twoWorkers(script: (request: ModelRequest) => Reply, home = {}) {
  const fleet = await openFleet(script, { home })
  const [a, b] = [await fleet.worker('a'), await fleet.worker('b')]
  return { ...fleet, a, b }
}

describe('a task', () => {
  it('started at one worker runs on the one that was asked for, and is seen from both', async () => {
    const { a, b, request } = await twoWorkers(() => message('done'))
    const { id } = await a.tasks.start(request('go', { on: 'b' }), ALICE)
    const task = await a.tasks.wait(id, { timeoutMs: 30_000 })
    expect(task).toMatchObject({
      status: 'completed',
      on: 'b',
      worker: { id: 'b' },
      result: { text: 'done' },
    })
    expect(b.tasks.appServers()).toHaveLength(1)
    expect(a.tasks.appServers()).toHaveLength(0)
    expect(await b.tasks.get(id)).toEqual(task)
  })

  it('is followed from the other worker, event for event', async () => {
    const { a, b, request } = await twoWorkers(() => message('done'))
    const { id } = await a.tasks.start(request('go', { on: 'b' }), ALICE)
    const seen: TaskEvent[] = []
    for await (const event of a.tasks.follow(id, { after: 0, signal: AbortSignal.timeout(30_000) })) {
      seen.push(event)
      if (event.method === 'drawbridge/task' && event.frame.includes('"completed"')) break
    }
    const stored = await allEvents(b.tasks, id)
    const numbers = seen.map(({ seq }) => seq)
    expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other))
    // Deltas that were seen live are gone from the store once their item has completed.
    const seqs = new Set(numbers)
    expect(stored.filter(({ seq }) => !seqs.has(seq))).toEqual([])
  })

  it('that asks is answered from the other worker, once', async () => {
    const { a, b, request } = await twoWorkers(asking)
    const { id } = await a.tasks.start(request('go', { on: 'b' }), ALICE)
    const question = await questionOf(a.tasks, id)
    const answers = await Promise.allSettled([
      a.tasks.decide(question.id, { answer: 'once' }, ALICE),
      b.tasks.decide(question.id, { answer: 'deny' }, BOB),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const lost = answers.find((each) => each.status === 'rejected')!.reason
    expect(lost).toMatchObject({ code: 'approval-settled', details: { approval: { status: 'answered' } } })
    expect(await a.tasks.wait(id, { timeoutMs: 30_000 })).toMatchObject({ status: 'completed' })
    expect((await b.tasks.audit({ taskId: id })).items).toHaveLength(1)
  })

  it('is sent messages, steered, renamed, forked, archived and deleted from the other worker', async () => {
    const { a, b, request, model } = await twoWorkers((call) =>
      lastUserText(call) === 'wait' && toolOutputs(call).length === 0
        ? shell('sleep 60', { escalate: 'please' })
        : message(`told ${lastUserText(call)}`),
    )
    const { id } = await a.tasks.start(request('wait', { on: 'b' }), ALICE)
    const question = await questionOf(a.tasks, id)
    const steered = await a.tasks.send(id, { input: 'steered', mode: 'steer', clientMessageId: 'one' }, ALICE)
    expect(steered).toMatchObject({ status: 'delivered', mode: 'steer', actor: ALICE.actor })
    const again = await b.tasks.send(id, { input: 'steered', mode: 'steer', clientMessageId: 'one' }, ALICE)
    expect(again.id).toBe(steered.id)
    const queued = await a.tasks.send(id, { input: 'never', mode: 'queue' }, ALICE)
    expect(await a.tasks.cancelMessage(id, queued.id, BOB)).toMatchObject({ status: 'cancelled' })
    await a.tasks.send(id, { input: 'next', mode: 'queue' }, ALICE)
    await a.tasks.decide(question.id, { answer: 'deny' }, ALICE)
    await taskThat(a.tasks, id, ({ status, turnCount }) => status === 'completed' && turnCount === 2)
    expect(model.requests.map(lastUserText)).toContain('steered')
    expect((await a.tasks.get(id)).result?.text).toBe('told next')
    expect(await a.tasks.change(id, { title: 'another', labels: ['x'] }, ALICE)).toMatchObject({
      title: 'another',
      labels: ['x'],
    })
    const fork = await a.tasks.fork(id, { prompt: 'of it' }, ALICE)
    expect(await a.tasks.wait(fork.id, { timeoutMs: 30_000 })).toMatchObject({
      status: 'completed',
      worker: { id: 'b' },
      result: { text: 'told of it' },
    })
    expect(await a.tasks.change(id, { archived: true }, ALICE)).toMatchObject({
      archivedAt: expect.any(Number),
    })
    await a.tasks.delete(id, ALICE)
    await expect(b.tasks.get(id)).rejects.toMatchObject({ code: 'task-not-found' })
  })

  it('is interrupted from the other worker, in the queue and at work', async () => {
    const { a, b, request } = await twoWorkers(asking)
    const { id } = await a.tasks.start(request('go', { on: 'b' }), ALICE)
    await questionOf(a.tasks, id)
    expect(await a.tasks.interrupt(id, BOB)).toMatchObject({
      status: 'interrupted',
      reason: expect.stringContaining('test:bob'),
    })
    const waiting = await b.tasks.start(request('go', { on: 'nobody' }), ALICE)
    expect(await a.tasks.interrupt(waiting.id, BOB)).toMatchObject({ status: 'interrupted' })
    await expect(a.tasks.interrupt(waiting.id, BOB)).rejects.toMatchObject({ code: 'not-running' })
  })

  it('that nobody can run says what it waits for', async () => {
    const { a, request } = await twoWorkers(() => message('done'))
    const { id } = await a.tasks.start(request('go', { on: 'gpu' }), ALICE)
    const task = await taskThat(a.tasks, id, ({ reason }) => reason.includes('gpu'))
    expect(task).toMatchObject({
      status: 'queued',
      reason: 'it waits for a worker with the name or label gpu',
    })
    const elsewhere = await a.tasks.start(request('go', { cwd: '/there/is/no/such/folder' }), ALICE)
    await taskThat(a.tasks, elsewhere.id, ({ reason }) => reason.includes('has the folder /there/is/no'))
  })
})

describe('a secret answer from another worker', () => {
  it('reaches codex, and is in no row on its way', async () => {
    const options = [
      { label: 'Yes', description: 'go' },
      { label: 'No', description: 'stay' },
    ]
    const questions = [
      { id: 'token', header: 'Token', question: 'Which token?', is_secret: true, isSecret: true, options },
    ]
    const { a, b, request, model } = await twoWorkers(
      (call) =>
        toolOutputs(call).length > 0
          ? message('thanks')
          : functionCall('request_user_input', { questions }, { callId: 'call-1' }),
      { config: { 'features.default_mode_request_user_input': true } },
    )
    const secret = 'correct-horse-battery-staple'
    const { id } = await a.tasks.start(request('go', { on: 'b' }), ALICE)
    const question = await questionOf(a.tasks, id)
    // Every state that a command row ever has is kept.
    await sql`create table seen (row text)`.execute(a.db)
    await sql`create function note() returns trigger language plpgsql as $$
      begin insert into seen values (new::text); return new; end $$`.execute(a.db)
    await sql`create trigger note after insert or update on commands for each row execute function note()`.execute(
      a.db,
    )
    await a.tasks.decide(question.id, { answer: { answers: { token: [secret] } } }, ALICE)
    await b.tasks.wait(id, { timeoutMs: 30_000 })
    expect(toolOutputs(model.requests.at(-1)!)[0]?.text).toContain(secret)
    const { rows } = await sql<{ row: string }>`select row from seen`.execute(a.db)
    expect(rows.length).toBeGreaterThan(0)
    for (const { row } of rows) expect(row).not.toContain(secret)
  })
})

describe('standing rules', () => {
  it('made or revoked at one worker count at the other when the call returns', async () => {
    const { a, b, request } = await twoWorkers(asking)
    const rule = await a.tasks.addRule({ text: 'allow command touch made' }, ALICE)
    const run = async () => {
      const { id } = await a.tasks.start(request('go', { on: 'b' }), ALICE)
      return b.tasks.wait(id, { timeoutMs: 30_000 })
    }
    expect(await run()).toMatchObject({ status: 'completed' })
    await a.tasks.revokeRule(rule.id, ALICE)
    expect(await run()).toMatchObject({ status: 'waiting', waitingFor: 'approval' })
  })
})
