// Codex asks for more than its sandbox allows, and is given a part of it in the inbox.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { functionCall, type ModelRequest, message, shell, toolOutputs } from '../../src/testing/index.ts'
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

it('permissions are given one by one, and codex gets these and no others', async () => {
  const { client, cwd, model } = stage.service
  const { id } = await client.tasks.start({ prompt: 'go', cwd })
  const page = await stage.open('/inbox')
  const card = page.getByRole('article').filter({ hasText: 'to build it' })
  const [a, b] = ['a', 'b'].map((name) => card.getByLabel(`Write ${path.join(cwd, name)}`, { exact: true }))
  const some = card.getByRole('button', { name: 'Allow only these, until the turn ends' })
  await a!.waitFor()
  expect([await a!.isChecked(), await b!.isChecked(), await some.count()]).toEqual([true, true, 0])
  await card.getByLabel('Use the network').uncheck()
  await b!.uncheck()
  await some.click()
  await card.getByText('Allowed in part by').waitFor()
  const task = await client.tasks.wait(id, { through: true, timeoutMs: 30_000 })
  expect(task).toMatchObject({ status: 'completed', result: { text: 'tried' } })
  const told = JSON.parse(toolOutputs(model.requests[1]!)[0]!.text)
  expect(told).toMatchObject({ permissions: { network: null }, scope: 'turn' })
  expect(JSON.stringify(told.permissions.file_system)).toContain(path.join(cwd, 'a'))
  expect(JSON.stringify(told.permissions.file_system)).not.toContain(path.join(cwd, 'b'))
  expect(['a/made', 'b/made'].map((file) => existsSync(path.join(cwd, file)))).toEqual([true, false])
  await page.goto(`${stage.service.url}/tasks/${id}`)
  await page.getByText('Allowed in part by').waitFor()
})
