// `--wait`: what is said at the end, how questions are answered from elsewhere, and how watching ends before the task.
import { describe, expect, it } from 'vitest'
import type { Task } from '../../../src/api/index.ts'
import { functionCall, httpError, message, slow, toolOutputs } from '../../../src/testing/index.ts'
import { jsonLines } from '../../support/run-cli.ts'
import { serviceStage } from '../../support/service-stage.ts'

describe('whoever waits for a task', () => {
  it('that is limited is told until when, by the local clock, and that it resumes by itself', async () => {
    const resetsAt = Math.ceil(Date.now() / 1_000) + 90_000
    const limit = { error: { type: 'usage_limit_reached', message: 'limit', resets_at: resetsAt } }
    const { cli } = await serviceStage(() =>
      httpError(429, limit, {
        'x-codex-primary-used-percent': '100',
        'x-codex-primary-window-minutes': '300',
        'x-codex-primary-reset-at': String(resetsAt),
      }),
    )
    const { code, stderr } = await cli(['task', 'start', '--wait', 'go'], { env: { TZ: 'Asia/Kolkata' } })
    expect(code).toBe(4)
    expect(stderr).toMatch(/limited until \S+ \S+ \(in 1d( 1h)?\), when it resumes by itself: /)
    const [, day, time] = /limited until (\S+) (\S+)/.exec(stderr)!
    expect(Date.parse(`${day}T${time}+05:30`)).toBe(Math.floor(resetsAt / 60) * 60_000)
    expect(stderr).not.toMatch(/failed|task send/)
    expect(stderr).toMatch(/task (\w{8}): limited · sooner: drawbridge task resume \1\n$/)
  })

  it('is told how to answer with values, by the names that are asked for', async () => {
    const questions = [
      {
        id: 'colour',
        header: 'Colour',
        question: 'Which?',
        options: [{ label: 'Red', description: 'warm' }],
      },
    ]
    const ask = functionCall('request_user_input', { questions })
    const { cli, question } = await serviceStage(
      (request) => (toolOutputs(request).length === 0 ? ask : message('fine')),
      { config: { 'features.default_mode_request_user_input': true } },
    )
    const waiting = cli(['task', 'start', '--wait', 'ask me'])
    const short = (await question()).id.slice(-8)
    expect(await cli(['answer', short, '--value', 'colour=Red'])).toMatchObject({ code: 0 })
    const { code, stderr } = await waiting
    expect(code).toBe(0)
    expect(stderr).toContain(`It waits for an answer: drawbridge answer ${short} --value colour=…`)
    expect(stderr).not.toContain('drawbridge approve')
  })
})

type Stage = Awaited<ReturnType<typeof serviceStage>>

/** The model can be asked before the service has stored that the turn began. */
async function isWorking({ model, json }: Stage): Promise<void> {
  await model.waitForRequests(1, { timeoutMs: 20_000 })
  await expect.poll(async () => (await json<Task[]>('task', 'list'))[0]?.status).toBe('working')
}

describe('TERM', () => {
  it('ends the watching and leaves the task at work', async () => {
    const released = Promise.withResolvers<void>()
    const stage = await serviceStage(async () => {
      await released.promise
      return message('Done all the same.')
    })
    const { code, stderr } = await stage.cli(['task', 'start', '--wait', 'work'], {
      whileRunning: async (child) => {
        await isWorking(stage)
        child.kill('SIGTERM')
      },
    })
    expect(code).toBe(124)
    expect(stderr).toContain('It goes on without us: working\n')
    released.resolve()
    const id = /drawbridge task logs -f (\w{8})\n$/.exec(stderr)![1]!
    expect(await stage.json<Task>('task', 'wait', id)).toMatchObject({
      status: 'completed',
      result: { text: 'Done all the same.' },
    })
  })

  it('gives programs the task as it is', async () => {
    const stage = await serviceStage(() => [slow(60_000), message('never')])
    const { code, stdout } = await stage.cli(['task', 'start', '--wait', '--json', 'work'], {
      whileRunning: async (child) => {
        await isWorking(stage)
        child.kill('SIGTERM')
      },
    })
    expect(code).toBe(124)
    expect(jsonLines(stdout).at(-1)).toMatchObject({ type: 'result', task: { status: 'working' } })
  })
})

it('a reader that has gone ends the watching and leaves the task at work', async () => {
  const { cli, json } = await serviceStage(() => [message('One.'), slow(2_000), message('Two.')])
  const ended = Promise.withResolvers<number | null>()
  // What reads the output of a command fails at once when that is closed; the command itself goes on.
  await cli(['task', 'start', '--wait', '--json', 'work'], {
    whileRunning: (child) => {
      child.on('exit', (code) => ended.resolve(code))
      child.stdout!.destroy()
    },
  }).catch(() => {})
  expect(await ended.promise).toBe(124)
  const [task] = await json<Task[]>('task', 'list')
  expect(await json<Task>('task', 'wait', task!.id)).toMatchObject({ status: 'completed' })
})
