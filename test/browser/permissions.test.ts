// Codex asks for more than its sandbox allows, and is given a part of it in the inbox.
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { functionCall, type ModelRequest, message, shell, toolOutputs } from '../../src/testing/index.ts'
import { press } from './support/keys.ts'
import { consoleStage } from './support/open-console.ts'

const permissions = { file_system: { write: ['a', 'b'] }, network: { enabled: true } }

/** Asks for the network and two folders, then tries to write into both. */
function script(request: ModelRequest) {
  const steps = [
    functionCall('request_permissions', { reason: 'to build it', permissions }),
    shell('touch a/made; touch b/made; true'),
  ]
  return steps[toolOutputs(request).length] ?? message('tried')
}

const stage = consoleStage(script, {
  home: { config: { 'features.request_permissions_tool': true } },
  files: { 'a/readme': 'a\n', 'b/readme': 'b\n' },
})

async function ask() {
  const { client, cwd, model } = stage.service
  const before = model.requests.length
  const { id } = await client.tasks.start({ prompt: 'go', cwd })
  await client.tasks.wait(id, { timeoutMs: 30_000 })
  const [approval] = (await client.approvals({ taskId: id, status: 'pending' })).items
  const page = await stage.open(`/approvals/${approval!.id}`)
  const card = page.getByRole('article')
  const place = (name: string) => card.getByLabel(`Write ${path.join(cwd, name)}`, { exact: true })
  await place('a').waitFor()
  return {
    ...{ id, page, card, a: place('a'), b: place('b'), network: card.getByLabel('Use the network') },
    /** What codex told the model it was granted. */
    granted: async () => {
      expect(await client.tasks.wait(id, { through: true, timeoutMs: 30_000 })).toMatchObject({
        status: 'completed',
        result: { text: 'tried' },
      })
      const { scope, permissions: given } = JSON.parse(toolOutputs(model.requests[before + 1]!)[0]!.text)
      const text = JSON.stringify(given)
      return {
        scope,
        network: given.network?.enabled === true,
        places: ['a', 'b'].filter((name) => text.includes(`"${path.join(cwd, name)}"`)),
      }
    },
    made: () => ['a', 'b'].filter((name) => existsSync(path.join(cwd, name, 'made'))),
    clean: () => Promise.all(['a', 'b'].map((name) => rm(path.join(cwd, name, 'made'), { force: true }))),
  }
}

const WAYS = [
  ['the key a', 'turn', (card: Locator, page: Page) => press(page, 'a', card.getByText('for this turn ('))],
  [
    'the button for the turn',
    'turn',
    (card: Locator) => card.getByRole('button', { name: 'Allow for this turn' }).click(),
  ],
  [
    'the button for the task',
    'session',
    (card: Locator) => card.getByRole('button', { name: 'Allow for this task' }).click(),
  ],
] as const

it.each(WAYS)('what is unticked is not granted by %s', async (_, scope, allow) => {
  const { id, page, card, a, b, network, granted, made, clean } = await ask()
  expect([await a.isChecked(), await b.isChecked(), await network.isChecked()]).toEqual([true, true, true])
  await network.uncheck()
  await b.uncheck()
  await allow(card, page)
  const told = `Allowed for this ${scope === 'turn' ? 'turn' : 'task'} (write ${path.join(stage.service.cwd, 'a')}) by`
  await card.getByText(told).waitFor()
  expect(await granted()).toEqual({ scope, network: false, places: ['a'] })
  expect(made()).toEqual(['a'])
  await clean()
  await page.goto(`${stage.service.url}/tasks/${id}`)
  await page.getByText(told).waitFor()
})

it('with nothing ticked it cannot be allowed, by no button and no key', async () => {
  const { page, card, a, b, network, granted, made } = await ask()
  for (const box of [a, b, network]) await box.uncheck()
  await card.getByText('Nothing is ticked').waitFor()
  expect(await card.getByRole('button', { name: 'Allow for this turn' }).isDisabled()).toBe(true)
  expect(await card.getByRole('button', { name: 'Allow for this task' }).isDisabled()).toBe(true)
  await card.getByText(', key d').waitFor({ state: 'attached' })
  expect(await card.getByText(', key a').count()).toBe(0)
  await page.keyboard.press('a')
  await press(page, 'd', card.getByText('Denied by'))
  expect(await granted()).toEqual({ scope: 'turn', network: false, places: [] })
  expect(made()).toEqual([])
})
