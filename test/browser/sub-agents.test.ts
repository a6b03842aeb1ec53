// What a sub-agent asks and does, in the page of the task it works for.
import { expect, it } from 'vitest'
import {
  functionCall,
  lastUserText,
  type ModelRequest,
  message,
  shell,
  toolOutputs,
} from '../../src/testing/index.ts'
import { consoleStage } from './support/open-console.ts'

const agents = { namespace: 'multi_agent_v1' }

/** Starts a sub-agent, which asks to run something; waits for it; is done. */
function script(request: ModelRequest) {
  const outputs = toolOutputs(request)
  if (lastUserText(request).includes('CHILD'))
    return outputs.length === 0
      ? shell('echo from-the-child', { escalate: 'please' })
      : message('child is done')
  if (outputs.length === 0) return functionCall('spawn_agent', { message: 'CHILD: look around' }, agents)
  const { agent_id } = JSON.parse(outputs[0]!.text) as { agent_id: string }
  const wait = { targets: [agent_id], timeout_ms: 60_000 }
  return outputs.length === 1 ? functionCall('wait_agent', wait, agents) : message('parent is done')
}

const stage = consoleStage(script)

it('asks in the inbox as one, and its steps are nested in one row of the transcript', async () => {
  const { client, cwd } = stage.service
  const { id } = await client.tasks.start({ prompt: 'go', cwd })
  const page = await stage.open('/inbox')
  const card = page.getByRole('article').filter({ hasText: 'from-the-child' })
  await card.getByText('asked by a sub-agent').waitFor()
  await card.getByRole('button', { name: 'Allow once' }).click()
  await client.tasks.wait(id, { through: true, timeoutMs: 30_000 })
  await page.goto(`${stage.service.url}/tasks/${id}`)
  await page.getByText('parent is done').waitFor()
  expect(await page.getByText('child is done', { exact: true }).count()).toBe(0)
  await page.getByRole('button', { name: /^Sub-agent/ }).click()
  await page.getByText('child is done', { exact: true }).waitFor()
})
