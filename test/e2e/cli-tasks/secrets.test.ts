// Secret answers: they reach Codex and stand neither on a command line nor on a screen.
import { expect, it } from 'vitest'
import type { Task } from '../../../src/api/index.ts'
import { functionCall, type ModelRequest, message, toolOutputs } from '../../../src/testing/index.ts'
import { serviceStage } from '../../support/service-stage.ts'

const options = [{ label: 'none', description: 'do without' }]
const questions = [
  { id: 'token', header: 'Token', question: 'Which token?', is_secret: true, isSecret: true, options },
]

function script(request: ModelRequest) {
  const [told] = toolOutputs(request)
  if (!told) return functionCall('request_user_input', { questions })
  return message(told.text.includes('open sesame') ? 'It is right.' : 'It is wrong.')
}

const stage = () => serviceStage(script, { config: { 'features.default_mode_request_user_input': true } })

it('a secret comes from stdin, as the question says it should', async () => {
  const { start, cli, json, question } = await stage()
  const { id } = await start('ask me')
  const short = (await question()).id.slice(-8)
  expect((await cli(['approvals'])).stdout).toContain(`drawbridge answer ${short} --secret token`)
  const answered = await cli(['answer', short, '--secret', 'token'], { stdin: 'open sesame\n' })
  expect(answered).toMatchObject({ code: 0, stdout: '' })
  expect(await json<Task>('task', 'wait', id)).toMatchObject({ result: { text: 'It is right.' } })
})

it('a secret is typed at a terminal without being shown', async () => {
  const { start, inTerminal, json, question } = await stage()
  const { id } = await start('ask me')
  const run = inTerminal(['answer', (await question()).id, '--secret', 'token'])
  await run.shows('token (not shown): ')
  run.type('open sesame\r')
  const { code, screen } = await run.ended()
  expect(code).toBe(0)
  expect(screen).not.toContain('sesame')
  expect(await json<Task>('task', 'wait', id)).toMatchObject({ result: { text: 'It is right.' } })
})
