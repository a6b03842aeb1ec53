// Several tasks at once, messages that wait behind an interrupt, and how logs and pages are read.
import { describe, expect, it } from 'vitest'
import type { EventEnvelope, Task } from '../../../src/api/index.ts'
import { lastUserText, message, slow } from '../../../src/testing/index.ts'
import { eventually, taggedRunning } from '../../faults/processes.ts'
import { jsonLines } from '../../support/run-cli.ts'
import { serviceStage } from '../../support/service-stage.ts'

const short = ({ id }: Pick<Task, 'id'>) => id.slice(-8)

describe('several tasks', () => {
  it('are archived, put back and deleted in turn; what goes wrong is told with its id', async () => {
    const { start, cli, json } = await serviceStage(() => message('ok'))
    const [one, two] = [await start('one'), await start('two')]
    for (const { id } of [one, two]) await json('task', 'wait', id)
    expect(await cli(['task', 'archive', short(one), 'zzzz', short(two)])).toEqual({
      code: 1,
      stdout: '',
      stderr: [
        `${short(one)} is archived.`,
        'drawbridge: zzzz: there is no task zzzz: `drawbridge task list --all` shows those there are',
        `${short(two)} is archived.`,
        '',
      ].join('\n'),
    })
    expect(await json<Task[]>('task', 'unarchive', one.id, two.id)).toMatchObject([
      { id: one.id, archivedAt: null },
      { id: two.id, archivedAt: null },
    ])
    expect(await cli(['task', 'rm', one.id, two.id])).toEqual({
      code: 0,
      stdout: '',
      stderr: `${short(one)} is deleted.\n${short(two)} is deleted.\n`,
    })
    expect(await json('task', 'list', '--all')).toEqual([])
  })
})

describe('task interrupt', () => {
  it('says that a message which waits begins then, and how to end that, too', async () => {
    const { start, cli, json, model } = await serviceStage(() => [slow(60_000), message('never')])
    const task = await start('work')
    await model.waitForRequests(1)
    await json('task', 'send', task.id, 'and then this')
    const { code, stderr } = await cli(['task', 'interrupt', task.id])
    expect(code).toBe(0)
    const [, next] = stderr.split('\n')
    expect(next).toBe(
      `The next message begins its turn now; to end that one, too: drawbridge task interrupt ${short(task)}`,
    )
    await model.waitForRequests(2)
    const again = await cli(['task', 'interrupt', task.id])
    expect(again.stderr).toMatch(/^\w{8} is interrupted: it was interrupted by api:cli:\S+\n$/)
  })
})

describe('task logs', () => {
  it('shows the last events only, with their times', async () => {
    const { start, cli, json } = await serviceStage(() => message('The answer.', { chunkSize: 2 }))
    const { id } = await start('go')
    await json('task', 'wait', id)
    const all = jsonLines((await cli(['task', 'logs', id, '--json'])).stdout) as unknown as EventEnvelope[]
    const last = jsonLines((await cli(['task', 'logs', id, '--json', '--tail', '3'])).stdout)
    expect(last).toEqual(all.slice(-3))
    // From the middle of the answer: its item was begun before, and is completed after.
    const begun = all.findLastIndex(({ event }) => event.method === 'item/started')
    const torn = await cli(['task', 'logs', id, '--tail', String(all.length - 1 - begun)])
    expect(torn.stdout).toBe('The answer.\n● completed: the turn is done\n')
    const timed = await cli(['task', 'logs', id, '--tail', '1', '--times'])
    expect(timed.stdout).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}● completed: the turn is done\n$/)
    expect(await cli(['task', 'logs', id, '--tail', '0'])).toMatchObject({ code: 2 })
  })
})

describe('a task whose codex died', () => {
  it('says why once, and what to type', async () => {
    const { start, cli, json, model, tag } = await serviceStage((request) =>
      lastUserText(request) === 'work' ? [slow(60_000), message('never')] : message('went on'),
    )
    const task = await start('work', '--title', 'Long work')
    await model.waitForRequests(1)
    for (const line of taggedRunning(tag, 'app-server')) process.kill(Number(line.split(' ')[0]), 'SIGKILL')
    await eventually(() => taggedRunning(tag, 'app-server').length === 0, 'codex is still there')
    expect(await json('task', 'wait', task.id).catch(() => null)).toBeNull()
    const { stdout } = await cli(['task', 'show', task.id])
    expect(stdout.match(/SIGKILL/g)).toHaveLength(1)
    expect(stdout).toContain(`\n→ drawbridge task resume ${short(task)} (what codex had completed is kept)\n`)
    expect(stdout).toContain('\nprompt:\n  work\n')
    // What codex wrote last is in the reason, and nowhere else.
    expect(stdout.match(/ WARN /g)).toHaveLength(1)
  })
})

describe('text that would steer a terminal', () => {
  const said = 'a\u001b]0;pwn\u0007b\u202ec 👩‍👩‍👧'

  it('is raw in a pipe, and cannot do so on a terminal', async () => {
    const { start, cli, inTerminal } = await serviceStage(() => message(said))
    const task = await start('go', '--title', '\u001b]0;pwn\u0007evil')
    expect(await cli(['task', 'wait', task.id])).toMatchObject({ code: 0, stdout: `${said}\n` })
    for (const args of [['wait'], ['logs'], ['show']]) {
      const run = inTerminal(['task', ...args, task.id])
      await run.ended()
      expect(run.raw).toContain('ab\\u{202e}c 👩‍👩‍👧\r\n')
      expect(run.raw).not.toContain('\u001b]0;')
    }
    const title = '\\u{1b}]0;pwn\\u{7}evil'
    expect((await cli(['task', 'show', task.id])).stdout.split('\n')[0]).toBe(title)
    expect((await cli(['task', 'list'])).stdout).toContain(`  ${title}\n`)
  })
})
