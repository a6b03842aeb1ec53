// Hooks of the operator's in the console: what runs before a turn is said while it runs, and stays as a row.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { message } from '../../src/testing/index.ts'
import { consoleStage } from './support/open-console.ts'

const install = 'echo installing 12 packages; while [ ! -e go ]; do sleep 0.1; done; echo done'
const stage = consoleStage(() => message('All good.'), {
  settings: {
    hooks: {
      install: { on: 'before', command: install },
      report: { on: 'after', command: 'echo cannot reach the office >&2; exit 7' },
    },
  },
})

it('a hook is a row with its output, and says how it ended', async () => {
  const { client, cwd } = stage.service
  const { id } = await client.tasks.start({ prompt: 'Fix the build', cwd })
  const page = await stage.open(`/tasks/${id}`)
  const look = process.env.DRAWBRIDGE_LOOK
  await page
    .getByText(/^installing 12 packages/)
    .first()
    .waitFor()
  await page
    .getByText(/hook-running: echo installing/i)
    .first()
    .waitFor()
  if (look) await page.screenshot({ path: `${look}/hooks-running.png` })
  writeFileSync(path.join(cwd, 'go'), '')
  await page.getByText('All good.').waitFor()
  await page.getByText('exit 7', { exact: true }).waitFor()
  await page.getByText('cannot reach the office', { exact: true }).waitFor()
  if (look) await page.screenshot({ path: `${look}/hooks.png` })
  expect(await client.tasks.get(id)).toMatchObject({ status: 'completed' })
})
