// `drawbridge task …` with a real service and the real codex.
import { describe, expect, it } from 'vitest'
import type { EventEnvelope, Message, Task, TaskDetail } from '../../../src/api/index.ts'
import { httpError, lastUserText, message, shell, slow, toolOutputs } from '../../../src/testing/index.ts'
import { jsonLines } from '../../support/run-cli.ts'
import { serviceStage } from '../../support/service-stage.ts'
import { isOnPostgres } from '../../support/test-store.ts'

describe('task start', () => {
  it('starts the service in the background, says so, and prints the id', async () => {
    const { cli, record } = await serviceStage(() => message('All done.'))
    const started = await cli(['task', 'start', 'Say that it is done'])
    const { pid } = record()
    expect(started).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[0-9a-f-]{36}\n$/) })
    expect(started.stderr).toContain(
      `Started the Drawbridge service in the background (pid ${pid}). Stop it with: drawbridge stop\n`,
    )
    const id = started.stdout.trim()
    expect(await cli(['task', 'wait', id])).toEqual({
      code: 0,
      stdout: 'All done.\n',
      stderr: 'completed: the turn is done\n',
    })
    expect(record().pid).toBe(pid)
  })

  it('with --wait streams like run: the answer on stdout, what happens on stderr', async () => {
    const { cli } = await serviceStage((request) =>
      toolOutputs(request).length === 0
        ? shell('echo from the command')
        : message('The answer.', { chunkSize: 4 }),
    )
    const { code, stdout, stderr } = await cli(['task', 'start', '--wait', 'go'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'The answer.\n' })
    expect(stderr).toContain('$ echo from the command\n  from the command\n  exit 0')
    expect(stderr).toMatch(/task [0-9a-f]{8}: completed/)
  })

  it('with --wait and --json prints a line for each event and last the result', async () => {
    const { cli } = await serviceStage(() => message('The answer.'))
    const { code, stdout } = await cli(['task', 'start', '--wait', '--json', 'go'])
    const lines = jsonLines(stdout)
    expect(code).toBe(0)
    expect(lines[0]).toMatchObject({ type: 'event', seq: 1, event: { method: 'drawbridge/task' } })
    expect(lines.at(-1)).toMatchObject({
      type: 'result',
      task: { status: 'completed', result: { text: 'The answer.' } },
    })
    const seqs = lines.slice(0, -1).map(({ seq }) => seq as number)
    expect(seqs).toEqual([...seqs].sort((a, b) => a - b))
  })

  it('passes on what it is told, and gives the same task for the same key', async () => {
    const { json, cli } = await serviceStage(() => message('ok'))
    const flags = [
      '--title',
      'A title',
      '--label',
      'a',
      '--label',
      'b',
      '--approve',
      'read-only',
      '--timeout',
      '50',
    ]
    const more = ['--rule', 'deny command git push', '--approval-timeout', '60', '--keep-open', '--key', 'k1']
    const args = ['task', 'start', 'go', ...flags, ...more]
    const task = await json(...args)
    expect(task).toMatchObject({
      title: 'A title',
      labels: ['a', 'b'],
      preset: 'read-only',
      rules: ['deny command git push'],
      timeoutMs: 50_000,
      approvalTimeoutMs: 60_000,
      keepOpen: true,
    })
    expect((await json(...args)).id).toBe(task.id)
    expect(await cli(args)).toMatchObject({
      stdout: `${task.id}\n`,
      stderr: `Started before, with this key: not once more. Follow it with: drawbridge task logs -f ${task.id.slice(-8)}\n`,
    })
    expect(await cli(['task', 'wait', task.id])).toMatchObject({ code: 0 })
    expect(await json('task', 'wait', task.id)).toMatchObject({ status: 'idle' })
    expect(await cli(['task', 'start', 'other', '--key', 'k1'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^drawbridge: .+\n$/),
    })
  })

  it.each([
    [['--rule', 'perhaps git'], /^drawbridge: --rule 'perhaps git': /],
    [['--cwd', '/nowhere'], /--cwd: no such folder/],
    [['--timeout', 'x'], /--timeout/],
    [['--notify', 'carrier-pigeon'], /carrier-pigeon/],
  ])('refuses what makes no sense in one line, exit code 2: %j', async (flags, says) => {
    const { cli } = await serviceStage(() => message('ok'))
    const { code, stdout, stderr } = await cli(['task', 'start', 'go', ...flags])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(says)
  })
})

describe('what is known of tasks', () => {
  it('is listed, shown and logged, by whole ids, beginnings and ends', async () => {
    const { start, json, cli } = await serviceStage((request) => message(`re: ${lastUserText(request)}`))
    await cli(['task', 'start', 'first thing', '--label', 'x', '--wait'])
    const second = await start('second 東京 thing', '--label', 'y')
    await json('task', 'wait', second.id)
    const listed = await json<Task[]>('task', 'list')
    expect(listed.map(({ title }) => title)).toEqual(['second 東京 thing', 'first thing'])
    expect(await json<Task[]>('task', 'list', '--label', 'x')).toHaveLength(1)
    expect(await json<Task[]>('task', 'list', '--status', 'failed,lost')).toEqual([])
    expect(await json<Task[]>('task', 'list', '--search', 're: second')).toHaveLength(1)

    const table = await cli(['task', 'list'])
    // Where several services may share the tasks, it says which one has each.
    const columns = isOnPostgres() ? 'LABELS  WORKER  +TITLE' : 'LABELS  TITLE'
    expect(table.stdout).toMatch(new RegExp(`^ID +STATUS +UPDATED +${columns}\n`))
    expect(table.stdout).toContain(`${second.id.slice(-8)}  completed  `)

    const end = second.id.slice(-8)
    const detail = await json<TaskDetail>('task', 'show', end)
    expect(detail).toMatchObject({ task: { id: second.id }, approvals: [], messages: [] })
    expect(detail.events.length).toBeGreaterThan(3)
    expect((await cli(['task', 'show', end])).stdout).toContain('\nre: second 東京 thing\n')
    expect((await json<TaskDetail>('task', 'show', second.id.slice(0, -2))).task.id).toBe(second.id)

    expect((await cli(['task', 'logs', end])).stdout).toContain('\nre: second 東京 thing\n')
    const events = jsonLines(
      (await cli(['task', 'logs', end, '--json'])).stdout,
    ) as unknown as EventEnvelope[]
    expect(events[0]).toMatchObject({ taskId: second.id, seq: 1, event: { method: 'drawbridge/task' } })
    expect(events.map(({ event }) => event.method)).toContain('turn/completed')

    expect(await cli(['task', 'show', 'ffffffff'])).toMatchObject({
      code: 1,
      stderr: 'drawbridge: there is no task ffffffff: `drawbridge task list --all` shows those there are\n',
    })
    expect(await cli(['task', 'show', 'ff'])).toMatchObject({ code: 2 })
    expect(await cli(['task', 'show', second.id.slice(0, 4)])).toMatchObject({
      code: 2,
      stderr: `drawbridge: ${second.id.slice(0, 4)} is not the only one: ${listed.map(({ id, title }) => `${id.slice(-8)} "${title}"`).join(', ')}\n`,
    })
  })

  it('can be followed until the task has ended', async () => {
    const { start, cli } = await serviceStage(() => [slow(1_500), message('At last.')])
    const { id } = await start('go')
    const { code, stdout, stderr } = await cli(['task', 'logs', '-f', id])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/● queued.*\n(.*\n)*At last\.\n● completed/)
  })
})

describe('a task that runs', () => {
  it('can be steered, given its next turn, forked and renamed', async () => {
    const { start, json, cli, model } = await serviceStage((request) => {
      const text = lastUserText(request)
      if (text === 'work' && toolOutputs(request).length === 0) return [slow(2_000), shell('true')]
      return message(`re: ${text}`)
    })
    const { id } = await start('work', '--keep-open')
    await model.waitForRequests(1)
    expect(await json<Message>('task', 'steer', id, 'be quick')).toMatchObject({ mode: 'steer' })
    expect(await json('task', 'wait', id)).toMatchObject({
      status: 'idle',
      turnCount: 1,
      result: { text: 're: be quick' },
    })
    expect(await cli(['task', 'steer', id, 'too late'])).toMatchObject({ code: 1 })
    const bare = await cli(['task', 'fork', id])
    expect(bare.stderr).toBe(
      `Forked. Give it something to do with: drawbridge task send ${bare.stdout.trim().slice(-8)} "…"\n`,
    )
    const told = await cli(['task', 'fork', id, 'there'])
    expect(told.stderr).toBe(
      `Forked. Follow it with: drawbridge task logs -f ${told.stdout.trim().slice(-8)}\n`,
    )

    const sent = await cli(['task', 'send', id, '--wait', 'next'])
    expect(sent).toMatchObject({ code: 0, stdout: 're: next\n' })
    const fork = await json('task', 'fork', id, 'elsewhere')
    expect(await json('task', 'wait', fork.id)).toMatchObject({
      forkedFrom: id,
      result: { text: 're: elsewhere' },
    })
    expect(await json('task', 'rename', id, 'Another title')).toMatchObject({ title: 'Another title' })
  })

  it('can be interrupted, resumed, archived and deleted', async () => {
    const { start, json, cli, model } = await serviceStage((request) =>
      lastUserText(request) === 'work' ? [slow(60_000), message('never')] : message('went on'),
    )
    const { id } = await start('work')
    await model.waitForRequests(1)
    expect(await cli(['task', 'rm', id])).toMatchObject({ code: 1 })
    expect(await cli(['task', 'wait', id, '--timeout', '1'])).toMatchObject({ code: 124 })
    expect(await cli(['task', 'interrupt', id])).toMatchObject({ code: 0 })
    expect(await cli(['task', 'wait', id])).toMatchObject({ code: 130 })
    expect((await cli(['task', 'resume', id, 'work'])).stderr).toMatch(
      new RegExp(`^${id.slice(-8)} is .+\\nFollow it with: drawbridge task logs -f ${id.slice(-8)}\\n$`),
    )
    await model.waitForRequests(2)
    await cli(['task', 'interrupt', id])
    const resumed = await cli(['task', 'resume', id, 'go on', '--wait'])
    expect(resumed).toMatchObject({ code: 0, stdout: 'went on\n' })
    await json('task', 'archive', id)
    expect(await json<Task[]>('task', 'list')).toEqual([])
    expect(await json<Task[]>('task', 'list', '--all')).toHaveLength(1)
    await json('task', 'unarchive', id)
    expect(await json('task', 'rm', id)).toEqual({ id, deleted: true })
    expect(await cli(['task', 'show', id])).toMatchObject({ code: 1 })
  })

  it('is interrupted by Ctrl-C of whoever waits for it', async () => {
    const { cli, model, json } = await serviceStage(() => [slow(60_000), message('never')])
    const { code, stderr } = await cli(['task', 'start', '--wait', 'work'], {
      whileRunning: async (child) => {
        await model.waitForRequests(1, { timeoutMs: 20_000 })
        child.kill('SIGINT')
      },
    })
    expect(code).toBe(130)
    expect(stderr).toMatch(/\ninterrupted: it was interrupted by api:cli:\S+\n/)
    expect(await json<Task[]>('task', 'list', '--status', 'interrupted')).toHaveLength(1)
  })
})

describe('how a task ended is the exit code of whoever waited', () => {
  it('1 when it failed, 4 when it is limited', async () => {
    const limit = {
      error: { type: 'usage_limit_reached', message: 'limit', resets_in_seconds: 3600, plan_type: 'plus' },
    }
    const { cli } = await serviceStage((request) =>
      lastUserText(request) === 'fail'
        ? httpError(400, { error: { message: 'no such thing' } })
        : httpError(429, limit),
    )
    const failed = await cli(['task', 'start', '--wait', 'fail'])
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('no such thing') })
    expect(await cli(['task', 'start', '--wait', 'limit'])).toMatchObject({ code: 4 })
  })

  it('124 when its turn took too long', async () => {
    const { cli } = await serviceStage(() => [slow(60_000), message('never')])
    expect(await cli(['task', 'start', '--wait', '--timeout', '1', 'go'])).toMatchObject({ code: 124 })
  })
})
