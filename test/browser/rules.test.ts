// What rules let out of the sandbox, told where they are listed and tried.
import { expect, it } from 'vitest'
import { message } from '../../src/testing/index.ts'
import { consoleStage } from './support/open-console.ts'

const stage = consoleStage(() => message('fine'))

it('says on which side of the sandbox a command is judged, and what a preset gives away', async () => {
  const page = await stage.open('/rules')
  const status = page.getByRole('status').filter({ hasText: 'Together' })
  const check = async (preset: string, side: string) => {
    await page.getByLabel('Preset').selectOption(preset)
    await page.getByLabel('Where it would run').selectOption(side)
    const answered = page.waitForResponse((response) => response.url().endsWith('/v1/rules/check'))
    await page.getByRole('button', { name: 'Ask the rules' }).click()
    await answered
    await status.getByText(`${side} the sandbox`).first().waitFor()
    return status.textContent()
  }
  await page.getByLabel('Command').fill('git status')
  expect(await check('workspace', 'outside')).toMatch(/Together: ask outside the sandbox/)
  expect(await check('workspace', 'inside')).toMatch(/Together: allow inside the sandbox/)
  expect(await check('trusted', 'outside')).toMatch(/Together: allow outside the sandbox.*files and logins/s)
})

it('says which standing rules let commands leave the sandbox', async () => {
  const page = await stage.open('/rules')
  for (const text of ['allow command make', 'allow sandboxed=yes command ninja', 'deny command rm']) {
    await page.getByLabel('New rule').fill(text)
    await page.getByRole('button', { name: 'Add' }).click()
    await page.getByText(text, { exact: true }).waitFor()
  }
  const row = (text: string) => page.getByRole('listitem').filter({ hasText: text }).textContent()
  expect(await row('allow command make')).toContain('lets commands leave the sandbox')
  expect(await row('command ninja')).toContain('only inside the sandbox')
  expect(await row('deny command rm')).not.toContain('sandbox')
})
