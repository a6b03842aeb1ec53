// Hooks around tasks: real processes on this machine, around turns of the real codex.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { commandHook, endLeftBehindHook } from '../../../src/hosts/index.ts'
import type { HookFacts, TaskHook } from '../../../src/tasks/index.ts'
import { functionCall, type ModelScript, message, shell, toolOutputs } from '../../../src/testing/index.ts'
import { eventually, identityOf } from '../../faults/processes.ts'
import { ALICE, allEvents, openTasks } from '../../support/open-tasks.ts'
import { eventThat, paramsOf, questionOf, runTask, taskThat } from '../../support/task-facts.ts'
import { HOST } from '../../support/tool-set.ts'

type Opened = Awaited<ReturnType<typeof openTasks>>
type Given = Omit<TaskHook, 'run' | 'title'>

const env = { PATH: process.env.PATH, OPENAI_API_KEY: 'sk-of-the-operator-1234567890', PLAIN: 'plain' }
const command = (text: string, hook: Given, passEnv: readonly string[] = []): TaskHook => ({
  ...hook,
  ...commandHook(text, { env, passEnv }),
})

function openWith(hooks: () => readonly TaskHook[], script: ModelScript = () => message('done')) {
  return openTasks(script, {
    hooks: () => ({ hooks: hooks(), endLeftBehind: endLeftBehindHook }),
  })
}

/** How each hook of a task ended, and what it wrote. */
async function hookEvents(tasks: Opened['tasks'], taskId: string) {
  const events = await allEvents(tasks, taskId)
  const of = (method: string) => events.filter((event) => event.method === method).map(paramsOf)
  const output = of('drawbridge/hook-output')
    .map(({ text }) => text)
    .join('')
  return { ends: of('drawbridge/hook').filter(({ status }) => status !== 'started'), output }
}

describe('hooks', () => {
  it('run before the first turn and after the end, with facts and without keys', async () => {
    const facts = 'cat > facts-$DRAWBRIDGE_EVENT.json; env > env.txt; echo "made for $DRAWBRIDGE_TASK_TITLE"'
    const { tasks, request, cwd } = await openWith(
      () => [
        command(facts, { name: 'install', on: 'before' }, ['PLAIN']),
        command('echo never', { name: 'other', on: 'before', labels: ['web'] }),
        command(facts, { name: 'tidy', on: 'after' }),
      ],
      (request) => (toolOutputs(request).length === 0 ? shell('cat facts-before.json') : message('done')),
    )
    const task = await runTask(tasks, request('Build it'))
    expect(task).toMatchObject({ status: 'completed' })
    await eventThat(tasks, task.id, ({ frame }) => /"hook":"tidy".*"status":"done"/.test(frame))
    const read = (name: string) => readFileSync(path.join(cwd, name), 'utf8')
    expect(JSON.parse(read('facts-before.json'))).toMatchObject({
      event: 'before',
      hook: 'install',
      attempt: 1,
      task: {
        id: task.id,
        title: 'Build it',
        status: 'starting',
        cwd,
        host: null,
        turns: 0,
        workspace: null,
      },
    } satisfies Partial<Record<keyof HookFacts, unknown>>)
    expect(JSON.parse(read('facts-after.json'))).toMatchObject({ task: { status: 'completed', turns: 1 } })
    expect(read('env.txt')).not.toContain('sk-of-the-operator')
    const { ends, output } = await hookEvents(tasks, task.id)
    expect(ends).toMatchObject([
      { hook: 'install', on: 'before', status: 'done', exitCode: 0, attempt: 1 },
      { hook: 'tidy', on: 'after', status: 'done' },
    ])
    expect(output).toContain('made for Build it')
    // The next turn in the same folder is not prepared again, and ends the task again.
    await tasks.send(task.id, { input: 'more', mode: 'queue' }, ALICE)
    await taskThat(tasks, task.id, ({ turnCount, status }) => turnCount === 2 && status === 'completed')
    await expect.poll(async () => (await hookEvents(tasks, task.id)).ends.length).toBe(3)
    // A fork in the same folder is a task of its own.
    const fork = await tasks.fork(task.id, { prompt: 'again' }, ALICE)
    await tasks.wait(fork.id, {})
    await expect
      .poll(async () => (await hookEvents(tasks, fork.id)).ends.map(({ hook }) => hook))
      .toEqual(['install', 'tidy'])
  }, 60_000)

  it('that fail follow their policy, at the deadline too; a resume runs them again', async () => {
    const { tasks, request, cwd } = await openWith(() => [
      command('test -e ready || { echo not ready; exit 4; }', {
        name: 'check',
        on: 'before',
        labels: ['check'],
      }),
      command("trap '' TERM; echo waiting; sleep 300", {
        ...{ name: 'slow', on: 'before', labels: ['slow'], timeoutMs: 300, onFailure: 'go on' },
      }),
      command('exit 1', { name: 'first', on: 'after', labels: ['check'], onFailure: 'stop' }),
      command('true', { name: 'second', on: 'after', labels: ['check'] }),
    ])
    const failed = await runTask(tasks, request('go', { labels: ['check'] }))
    expect(failed).toMatchObject({ status: 'failed', turnCount: 0, failure: { code: 'other' } })
    expect(failed.reason).toContain('the hook check (test -e ready')
    expect(failed.reason).toContain('exit code 4')
    const ends = async (id: string) =>
      (await hookEvents(tasks, id)).ends.map(({ hook, status, exitCode }) => [hook, status, exitCode])
    await expect
      .poll(() => ends(failed.id))
      .toEqual([
        ['check', 'failed', 4],
        ['first', 'failed', 1],
        ['second', 'skipped', null],
      ])
    writeFileSync(path.join(cwd, 'ready'), '')
    await tasks.resume(failed.id, {}, ALICE)
    expect(await tasks.wait(failed.id, {})).toMatchObject({ status: 'completed', turnCount: 1 })
    expect((await ends(failed.id))[3]).toEqual(['check', 'done', 0])

    const late = await runTask(tasks, request('go', { labels: ['slow'] }))
    expect(late).toMatchObject({ status: 'completed' })
    expect((await hookEvents(tasks, late.id)).ends).toMatchObject([
      { hook: 'slow', status: 'timed-out', problem: 'it took longer than 300 ms' },
    ])
  }, 60_000)

  it('are ended by an interrupt, hold up no other task, and are told of questions that they cannot answer', async () => {
    const { tasks, request, cwd } = await openWith(
      () => [
        command('echo up; sleep 300', { name: 'install', on: 'before', labels: ['slow'] }),
        command('cat > asked.json', { name: 'tell', on: 'onQuestion' }),
        {
          name: 'own',
          on: 'after',
          run: ({ task }, { write }) =>
            write(`${task.status} token=ghp_0123456789abcdefghijklmnopqrstuvwxyz`),
        },
      ],
      (request) =>
        toolOutputs(request).length === 0 ? shell('touch here', { escalate: 'outside' }) : message('done'),
    )
    const slow = await tasks.start(request('go', { labels: ['slow'] }), ALICE)
    const running = await taskThat(tasks, slow.id, ({ reason }) => reason.startsWith('hook-running'))
    expect(running).toMatchObject({ status: 'starting', reason: 'hook-running: echo up; sleep 300' })
    const other = await tasks.start(request('go'), ALICE)
    const question = await questionOf(tasks, other.id)
    await eventThat(tasks, other.id, ({ frame }) => /"hook":"tell".*"status":"done"/.test(frame))
    expect(JSON.parse(readFileSync(path.join(cwd, 'asked.json'), 'utf8'))).toMatchObject({
      event: 'onQuestion',
      question: { id: question.id, kind: 'command', title: 'run touch here' },
    })
    expect(await tasks.approval(question.id)).toMatchObject({ status: 'pending' })
    await tasks.decide(question.id, { answer: 'deny' }, ALICE)
    expect(await tasks.interrupt(slow.id, ALICE)).toMatchObject({
      status: 'interrupted',
      reason: 'it was interrupted before codex had it',
      turnCount: 0,
    })
    await eventThat(tasks, slow.id, ({ frame }) => /"hook":"own".*"status":"done"/.test(frame))
    const { ends, output } = await hookEvents(tasks, slow.id)
    expect(ends).toMatchObject([{ hook: 'install', status: 'interrupted' }, { hook: 'own' }])
    expect(output).toContain('interrupted token=')
    expect(output).not.toContain('ghp_0123456789')
  }, 60_000)

  it('are told of a file that is handed over, once, and of uploads', async () => {
    const { tasks, request, cwd } = await openWith(
      () => [
        command('cat > told.json; cp "$DRAWBRIDGE_DELIVERABLE_PATH" kept', {
          name: 'keep',
          on: 'onDeliverable',
        }),
        command('cat > up.json', { name: 'look', on: 'onUpload' }),
      ],
      (request) =>
        toolOutputs(request).length > 0
          ? message('done')
          : functionCall('deliver', { path: 'report.txt', title: 'The report' }, { namespace: HOST }),
    )
    const read = (name: string) => readFileSync(path.join(cwd, name), 'utf8')
    writeFileSync(path.join(cwd, 'report.txt'), 'all is well')
    const { id } = await runTask(tasks, request('go', { tools: ['drawbridge_deliver'] }))
    await eventThat(tasks, id, ({ frame }) => /"hook":"keep".*"status":"done"/.test(frame))
    expect(JSON.parse(read('told.json'))).toMatchObject({
      event: 'onDeliverable',
      deliverable: { number: 1, title: 'The report', path: 'report.txt', bytes: 11 },
    })
    expect(read('kept')).toBe('all is well')
    await tasks.answerDeliverable(id, 1, { verdict: 'accepted' }, ALICE)
    await tasks.addUploads(
      id,
      [{ name: 'a.csv', path: 'uploads/a.csv', bytes: 3, type: 'text/csv', sha256: '' }],
      ALICE,
    )
    await eventThat(tasks, id, ({ frame }) => /"hook":"look".*"status":"done"/.test(frame))
    expect(JSON.parse(read('up.json'))).toMatchObject({
      upload: { files: [{ name: 'a.csv', path: 'uploads/a.csv' }], actor: 'test:alice' },
    })
    expect((await hookEvents(tasks, id)).ends.map(({ hook }) => hook)).toEqual(['keep', 'look'])
  }, 60_000)

  it('write 30 MB at full speed, and the log has the beginning and the end', async () => {
    const { tasks, request } = await openWith(() => [
      command('echo first; yes 0123456789012345678901234567890 | head -c 30000000; echo last >&2', {
        name: 'loud',
        on: 'before',
      }),
    ])
    const task = await runTask(tasks, request('go'))
    expect(task).toMatchObject({ status: 'completed' })
    const { ends, output } = await hookEvents(tasks, task.id)
    expect(ends).toMatchObject([{ status: 'done', outputBytes: 30_000_011 }])
    expect(output.length).toBeLessThan(250_000)
    expect(output).toMatch(/^first\n/)
    expect(output).toContain('characters left out')
    expect(output).toContain('last')
  }, 60_000)

  it('that the end of the service cuts run again when they may; what was planned is run', async () => {
    const slow = (name: string, more: Partial<Given> = {}) =>
      command(`trap "" TERM; echo "$$" >> ${name}.txt; test $(wc -l < ${name}.txt) -gt 1 || sleep 300`, {
        ...{ name, on: 'before', labels: [name], ...more },
      })
    const { tasks, request, cwd, close, open } = await openWith(() => [
      slow('again', { repeatable: true }),
      slow('once'),
      slow('end', { on: 'after', onFailure: 'stop', timeoutMs: 60_000 }),
      command('touch later.txt', { name: 'later', on: 'after', labels: ['end'] }),
    ])
    const start = (label: string) => tasks.start(request('go', { labels: [label] }), ALICE)
    const [again, once, end] = [await start('again'), await start('once'), await start('end')]
    for (const name of ['again', 'once', 'end'])
      await eventually(() => existsSync(path.join(cwd, `${name}.txt`)), `${name} runs`)
    expect(await tasks.wait(end.id, {})).toMatchObject({ status: 'completed' })
    await close()
    const first = ['again', 'once', 'end'].map((name) =>
      readFileSync(path.join(cwd, `${name}.txt`), 'utf8').trim(),
    )
    expect(first.map((pid) => identityOf(Number(pid)))).toEqual([null, null, null])
    const next = await open()
    expect(await next.tasks.wait(again.id, {})).toMatchObject({ status: 'completed' })
    const failed = await next.tasks.wait(once.id, {})
    expect(failed).toMatchObject({ status: 'failed' })
    expect(failed.reason).toContain('nobody knows whether the hook once finished')
    await next.tasks.resume(once.id, {}, ALICE)
    expect(await next.tasks.wait(once.id, {})).toMatchObject({ status: 'completed' })
    await eventThat(next.tasks, end.id, ({ frame }) => /"hook":"later".*"status":"skipped"/.test(frame))
    expect(existsSync(path.join(cwd, 'later.txt'))).toBe(false)
    const { ends } = await hookEvents(next.tasks, again.id)
    expect(ends).toMatchObject([
      { status: 'interrupted', attempt: 1, problem: 'the service was stopped while it ran' },
      { status: 'done', attempt: 2 },
    ])
  }, 60_000)
})
