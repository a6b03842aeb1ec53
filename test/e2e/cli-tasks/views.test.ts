// What is told of tasks with more than one turn, and of lists that are only a part.
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Task } from '../../../src/api/index.ts'
import { httpError, lastUserText, message, slow } from '../../../src/testing/index.ts'
import { serviceStage } from '../../support/service-stage.ts'

describe('the answer of an earlier turn', () => {
  it('is not taken for that of one that failed', async () => {
    const { start, cli } = await serviceStage((request) =>
      lastUserText(request) === 'fail'
        ? httpError(400, { error: { message: 'no such thing' } })
        : message('The first answer.'),
    )
    const { id } = await start('go', '--keep-open')
    expect(await cli(['task', 'wait', id])).toMatchObject({ code: 0, stdout: 'The first answer.\n' })
    expect((await cli(['task', 'show', id])).stdout).not.toContain('earlier turn')
    expect(await cli(['task', 'send', id, 'fail'])).toMatchObject({
      code: 0,
      stderr: `Sent. Follow it with: drawbridge task logs -f ${id.slice(-8)}\n`,
    })
    expect(await cli(['task', 'wait', id])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^failed: .*no such thing/),
    })
    const { stdout } = await cli(['task', 'show', id])
    expect(stdout).toContain('\nanswer of an earlier turn:\nThe first answer.\n')
    expect(stdout).toMatch(/\nwhat this state rests on:\n {2}turn: \S+\n {2}codex said: failed\n/)
    expect(stdout).toMatch(/\nlately:\n( +\d+s ago {2}.*\n)+/)
    expect(stdout).toMatch(/ago {2}> fail · api:cli:\S+\n/)
  })

  it('is not taken for that of one that runs; what is sent meanwhile is queued', async () => {
    const { start, cli, model } = await serviceStage((request) =>
      lastUserText(request) === 'slow' ? [slow(60_000), message('never')] : message('The first answer.'),
    )
    const { id } = await start('go', '--keep-open')
    await cli(['task', 'wait', id])
    await cli(['task', 'send', id, 'slow'])
    await model.waitForRequests(2)
    expect(await cli(['task', 'send', id, 'more'])).toMatchObject({
      stderr: `Queued: it is the next turn, after what runs or waits. Follow it with: drawbridge task logs -f ${id.slice(-8)}\n`,
    })
    expect((await cli(['task', 'show', id])).stdout).toContain(
      'answer of an earlier turn:\nThe first answer.\n',
    )
    expect(await cli(['task', 'wait', id, '--timeout', '1'])).toMatchObject({ code: 124, stdout: '' })
  })
})

describe('task send', () => {
  it('says so when a free task has to wait for a place', async () => {
    const { start, cli, model, env } = await serviceStage((request) =>
      lastUserText(request) === 'slow' ? [slow(60_000), message('never')] : message('ok'),
    )
    const only = { env: { ...env, DRAWBRIDGE_MAX_WORKING: '1' } }
    const { stdout } = await cli(['task', 'start', 'go'], only)
    await cli(['task', 'wait', stdout.trim()])
    await start('slow')
    await model.waitForRequests(2)
    expect(await cli(['task', 'send', stdout.trim(), 'more'])).toMatchObject({
      stderr: `Queued: number 1 of those that wait for a place. Follow it with: drawbridge task logs -f ${stdout.trim().slice(-8)}\n`,
    })
    const keyed = () => cli(['task', 'send', stdout.trim(), '--key', 'k1', 'and more'])
    expect((await keyed()).stderr).toMatch(/^Queued: /)
    expect((await keyed()).stderr).toBe(
      `Sent before, with this key: not once more. Follow it with: drawbridge task logs -f ${stdout.trim().slice(-8)}\n`,
    )
  })
})

describe('task list', () => {
  it('by folder, archived or not, page by page', async () => {
    const { start, cli, json, cwd } = await serviceStage(() => message('ok'))
    const folder = path.join(cwd, 'inner')
    mkdirSync(folder)
    const first = await start('first')
    const second = await start('second', '--cwd', folder)
    for (const { id } of [first, second]) await json('task', 'wait', id)
    const ids = async (...flags: string[]) =>
      (await json<Task[]>('task', 'list', ...flags)).map(({ title }) => title)
    expect(await ids('--cwd', 'inner')).toEqual(['second'])
    expect(await ids('--cwd', '.')).toEqual(['first'])
    await json('task', 'archive', first.id)
    expect(await ids()).toEqual(['second'])
    expect(await ids('--archived')).toEqual(['first'])
    expect(await ids('--all')).toEqual(['second', 'first'])
    expect(await cli(['task', 'list', '--all', '--archived'])).toMatchObject({ code: 2 })
    const { stderr } = await cli(['task', 'list', '--all', '--limit', '1'])
    const [, cursor] = /^There are more: add --cursor (\S+)\n$/.exec(stderr)!
    expect(await ids('--all', '--cursor', cursor!)).toEqual(['first'])
  })

  it('says what is so when there is nothing, and what is wrong with a number', async () => {
    const { cli } = await serviceStage(() => message('ok'))
    const said = async (...args: string[]) => (await cli(['task', 'list', ...args])).stderr
    await said()
    expect(await said()).toBe('No tasks. Start one with: drawbridge task start "…"\n')
    for (const flags of [
      ['--search', 'x'],
      ['--status', 'failed'],
      ['--label', 'x'],
      ['--cwd', '/'],
      ['--archived'],
    ])
      expect(await said(...flags)).toBe('No task matches.\n')
    expect(await cli(['task', 'list', '--limit', 'x'])).toMatchObject({
      code: 2,
      stderr: 'drawbridge: --limit: not a whole number from 1 to 500: x\n',
    })
    expect(await cli(['task', 'logs', 'ffff', '--after', 'x'])).toMatchObject({
      code: 2,
      stderr: 'drawbridge: --after: not a whole number from 0 on: x\n',
    })
  })
})
