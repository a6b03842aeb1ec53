// What was used, on the command line.
import { describe, expect, it } from 'vitest'
import type { Task, Usage } from '../../../src/api/index.ts'
import { lastUserText, message, usage } from '../../../src/testing/index.ts'
import { serviceStage } from '../../support/service-stage.ts'

describe('usage', () => {
  it('is a row for each day and all of it in words, or as the API has it', async () => {
    const { cli, json, start } = await serviceStage(() => [
      message('ok'),
      usage({ input: 12_000, cached: 9_000, output: 345, reasoning: 45 }),
    ])
    const { id } = await start('go')
    await json('task', 'wait', id)
    const { total, days, timeZone } = await json<Usage>('usage', '--days', '2')
    expect(timeZone).toBe(Intl.DateTimeFormat().resolvedOptions().timeZone)
    expect(days).toHaveLength(2)
    expect(total).toMatchObject({
      turns: { started: 1, completed: 1 },
      tokens: { input: 12_000, cachedInput: 9_000, output: 345, reasoningOutput: 45 },
    })
    const { code, stdout } = await cli(['usage', '--days', '2'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^DAY +TURNS .*\n/)
    expect(stdout).toMatch(/\w{3} \d{4}-\d\d-\d\d +1 +· +· +· +12\.0k +9\.0k +345 +█{24}\n/)
    expect(stdout).toContain('12.3k tokens, 1 turn\n')
  })

  it('is told of a number of days that can be had', async () => {
    const { cli } = await serviceStage(() => message('ok'))
    for (const days of ['0', '93', 'many'])
      expect(await cli(['usage', '--days', days])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('from 1 to 92'),
      })
  })
})

it('a long answer is cut in the list, and whole where the task is shown', async () => {
  const { cli, json, start } = await serviceStage((call) =>
    message(lastUserText(call) === 'long' ? 'word '.repeat(2_000) : 'ok'),
  )
  const { id } = await start('long')
  await json('task', 'wait', id)
  const [listed] = await json<Task[]>('task', 'list')
  expect(listed!.result).toMatchObject({ isCut: true, text: 'word '.repeat(400) })
  const { task } = await json<{ task: Task }>('task', 'show', id)
  expect(task.result).toMatchObject({ isCut: false, text: 'word '.repeat(2_000) })
  expect((await cli(['task', 'show', id])).stdout.length).toBeGreaterThan(9_000)
  expect((await cli(['status'])).stdout).toMatch(/1 thread, 0 in use/)
})
