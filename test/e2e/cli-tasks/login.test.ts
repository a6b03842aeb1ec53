// Tasks of a codex without a login: refused or failed at once, and fine after somebody has logged in, without a restart.
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { message } from '../../../src/testing/index.ts'
import { serviceStage } from '../../support/service-stage.ts'

const KEY = 'sk-test-0123456789abcdef0123456789abcdef'
const WANTS_LOGIN = { 'model_providers.scripted.requires_openai_auth': true }
/** Written so, a look at the file sees no provider, as where there is none and codex takes its default. */
const UNSEEN = { config: { ...WANTS_LOGIN, model_provider: null, '"model_provider"': 'scripted' } }
const NOT_LOGGED_IN =
  'drawbridge: Not logged in to OpenAI. Run `drawbridge login`, or try `drawbridge demo`, which needs no account.\n'

async function stage(config: Parameters<typeof serviceStage>[1]) {
  const all = await serviceStage(() => message('hello'), config)
  const { cli, codexHome } = all
  return {
    ...all,
    login: () => cli(['login', '--key'], { stdin: KEY }),
    /** As `codex login` would: no service hears of it. */
    loginElsewhere: () =>
      cli(['login', '--key'], { stdin: KEY, env: { DRAWBRIDGE_HOME: path.join(codexHome, 'none') } }),
  }
}

describe('a task without a login', () => {
  it('is refused at once, and works after drawbridge login with the same service', async () => {
    const { cli, json, login, record, model } = await stage(UNSEEN)
    const refused = await cli(['task', 'start', 'hi'])
    expect(refused).toMatchObject({ code: 5, stdout: '' })
    expect(refused.stderr.endsWith(NOT_LOGGED_IN)).toBe(true)
    expect(await json('task', 'list')).toEqual([])
    const { pid } = record()
    expect(await login()).toMatchObject({ code: 0 })
    expect(await cli(['task', 'start', '--wait', 'hi'])).toMatchObject({ code: 0, stdout: 'hello\n' })
    expect(record().pid).toBe(pid)
    expect(model.requests).toHaveLength(1)
  })

  it('works after somebody has logged in with another program', async () => {
    const { cli, loginElsewhere } = await stage(UNSEEN)
    expect(await cli(['task', 'start', 'hi'])).toMatchObject({ code: 5 })
    expect(await loginElsewhere()).toMatchObject({ code: 0 })
    expect(await cli(['task', 'start', '--wait', 'hi'])).toMatchObject({ code: 0, stdout: 'hello\n' })
  })

  it('that could not be refused fails at once, and does what it was to do when it is resumed', async () => {
    const { cli, json, login, model } = await stage({ config: WANTS_LOGIN })
    const failed = await cli(['task', 'start', '--wait', 'hi'])
    expect(failed).toMatchObject({ code: 5, stdout: '' })
    expect(failed.stderr).toContain('failed: Not logged in to OpenAI [not-logged-in]')
    expect(failed.stderr).toContain('→ Run `drawbridge login`')
    expect(model.requests).toHaveLength(0)
    const [task] = await json<{ id: string; failure: unknown }[]>('task', 'list')
    expect(task).toMatchObject({ status: 'failed', failure: { code: 'not-logged-in', resumable: true } })
    expect(await login()).toMatchObject({ code: 0 })
    expect(await cli(['task', 'resume', task!.id, '--wait'])).toMatchObject({ code: 0, stdout: 'hello\n' })
    expect(JSON.stringify(model.requests[0]!.body)).toContain('"hi"')
  })

  it('goes on after a logout and a login, whoever logged in', async () => {
    const { cli, start, loginElsewhere, login, json } = await stage({ config: WANTS_LOGIN })
    await loginElsewhere()
    const { id } = await start('hi')
    expect(await cli(['task', 'wait', id])).toMatchObject({ code: 0 })
    expect(await cli(['logout', '--yes'])).toMatchObject({ code: 0 })
    expect(await cli(['task', 'send', id, '--wait', 'again'])).toMatchObject({ code: 5 })
    await loginElsewhere()
    expect(await cli(['task', 'resume', id, '--wait'])).toMatchObject({ code: 0, stdout: 'hello\n' })
    expect(await login()).toMatchObject({ code: 0 })
    expect(await json('task', 'show', id)).toMatchObject({ task: { status: 'completed' } })
  })
})

it('a task that is done is not resumed without a word: it says what to type', async () => {
  const { cli, start } = await serviceStage(() => message('hello'))
  const { id } = await start('hi')
  await cli(['task', 'wait', id])
  const refused = await cli(['task', 'resume', id])
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toBe(
    `drawbridge: the task is completed: nothing was left to resume; send it a message to go on: drawbridge task send ${id.slice(-8)} "…"\n`,
  )
  expect(await cli(['task', 'resume', id, '--wait', 'more'])).toMatchObject({ code: 0, stdout: 'hello\n' })
})

it('open prints a fresh link where there is no browser, and starts the service for it', async () => {
  const { cli, record } = await serviceStage(() => message('x'))
  const env = { DISPLAY: '', WAYLAND_DISPLAY: '' }
  const { code, stdout, stderr } = await cli(['open'], { env })
  expect(code).toBe(0)
  expect(stdout.startsWith(`${record().url}/login?code=`)).toBe(true)
  expect(stderr).toMatch(/No browser here: open this link in one\. It works once, within \d+m\.\n$/)
  const page = await fetch(stdout.trim(), { redirect: 'manual' })
  expect(page.status).toBeLessThan(400)
  const { isOpened } = JSON.parse((await cli(['open', '--json'], { env })).stdout) as { isOpened: boolean }
  expect(isOpened).toBe(false)
})
