// Questions answered in the browser, and what codex does then.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  functionCall,
  lastUserText,
  type ModelRequest,
  message,
  shell,
  toolOutputs,
} from '../../src/testing/index.ts'
import { press } from './support/keys.ts'
import { consoleStage } from './support/open-console.ts'

const requestedSchema = {
  type: 'object',
  properties: { name: { type: 'string', title: 'Name' }, count: { type: 'integer', title: 'Count' } },
  required: ['name', 'count'],
}
const options = [
  { label: 'Red', description: 'as a rose' },
  { label: 'Blue', description: 'as the sea' },
]
const questions = [{ id: 'color', header: 'Color', question: 'Which color?', options }]
const toml = [
  '[mcp_servers.asker]',
  `command = ${JSON.stringify(process.execPath)}`,
  `args = [${JSON.stringify(path.resolve('test/fixtures/mcp-server.mjs'))}]`,
  'env = { MCP_LOG = "/dev/null" }',
].join('\n')

/** Asks for a form, a choice, or leave to run what it was told; then repeats what came of it. */
function script(request: ModelRequest) {
  const [output] = toolOutputs(request)
  if (output) return message(`told: ${output.text}`)
  const said = lastUserText(request)
  if (said === 'form') return functionCall('form', { requestedSchema }, { namespace: 'mcp__asker' })
  if (said === 'choose') return functionCall('request_user_input', { questions })
  return shell(said, { escalate: `because of ${said}` })
}

const config = { 'features.default_mode_request_user_input': true }
const stage = consoleStage(script, { home: { toml, config } })

async function start(prompt: string) {
  const { client, cwd } = stage.service
  const { id } = await client.tasks.start({ prompt, cwd, title: `Task ${prompt}` })
  const ended = () => client.tasks.wait(id, { through: true, timeoutMs: 30_000 })
  await client.tasks.wait(id, { timeoutMs: 30_000 })
  return {
    id,
    ended,
    asks: async () => (await client.approvals({ taskId: id, status: 'pending' })).items,
    made: (name: string) => existsSync(path.join(cwd, name)),
  }
}

describe('a question in the inbox', () => {
  it('is allowed with one press, and the file is written', async () => {
    const task = await start('touch allowed')
    const page = await stage.open('/inbox')
    const card = page.getByRole('article').filter({ hasText: 'touch allowed' })
    await card.getByText('because of touch allowed').waitFor()
    expect(task.made('allowed')).toBe(false)
    await card.getByRole('button', { name: 'Allow once' }).click()
    await card.getByText('Allowed once by').waitFor()
    expect((await task.ended()).status).toBe('completed')
    expect(task.made('allowed')).toBe(true)
  })

  it('is denied with a reason, which is in the audit', async () => {
    const task = await start('touch denied')
    const page = await stage.open('/inbox')
    const card = page.getByRole('article').filter({ hasText: 'touch denied' })
    await card.getByLabel('Why').fill('not today')
    await card.getByRole('button', { name: 'Deny', exact: true }).click()
    await card.getByText('not today').waitFor()
    await task.ended()
    expect(task.made('denied')).toBe(false)
    await page.goto(`${stage.service.url}/rules`)
    await page.getByRole('listitem').filter({ hasText: 'touch denied' }).getByText('not today').waitFor()
  })

  it('is always allowed by a rule that can be seen, changed and revoked', async () => {
    const task = await start('touch always')
    const page = await stage.open('/inbox')
    const card = page.getByRole('article').filter({ hasText: 'touch always' })
    await card.getByRole('button', { name: 'Always allow' }).click()
    const rule = card.getByLabel('The standing rule')
    expect(await rule.inputValue()).toContain('touch always')
    await rule.fill('allow command touch')
    await card.getByRole('button', { name: 'Allow and add the rule' }).click()
    await task.ended()
    const second = await start('touch again')
    expect((await second.ended()).status).toBe('completed')
    expect(second.made('again')).toBe(true)
    await page.goto(`${stage.service.url}/rules`)
    const row = page.getByRole('listitem').filter({ hasText: 'allow command touch' }).first()
    await row.getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('Show 1 revoked').waitFor()
    expect(await stage.service.client.rules({})).toEqual([])
  })

  it('with a form is answered in the types that were asked for', async () => {
    const task = await start('form')
    const page = await stage.open('/inbox')
    const card = page.getByRole('article').filter({ hasText: 'Which one?' })
    await card.getByRole('button', { name: 'Send' }).click()
    await card.getByText('This is needed.').nth(1).waitFor()
    await card.getByLabel('Name').fill('Ada')
    await card.getByLabel('Count').fill('3')
    await card.getByRole('button', { name: 'Send' }).click()
    const { result } = await task.ended()
    expect(result?.text).toContain('"content":{"count":3,"name":"Ada"}')
  })

  it('of the model is answered with a choice', async () => {
    const task = await start('choose')
    const page = await stage.open('/inbox')
    const card = page.getByRole('article').filter({ hasText: 'Which color?' })
    await card.getByLabel('Blue').check()
    await card.getByRole('button', { name: 'Send answers' }).click()
    expect((await task.ended()).result?.text).toContain('Blue')
  })

  it('that is answered in one browser says so in the other at once', async () => {
    await start('touch two')
    const [mine, theirs] = await Promise.all([stage.open('/inbox'), stage.open('/inbox')])
    const cardIn = (page: typeof mine) => page.getByRole('article').filter({ hasText: 'touch two' })
    await cardIn(theirs).getByRole('button', { name: 'Allow once' }).waitFor()
    await cardIn(mine).getByRole('button', { name: 'Deny', exact: true }).click()
    await cardIn(theirs).getByText('Denied by').waitFor()
    expect(await cardIn(theirs).getByRole('button', { name: 'Allow once' }).count()).toBe(0)
  })

  it('is counted in the tab and in the navigation, and is gone from both when answered', async () => {
    const task = await start('touch counted')
    const page = await stage.open('/tasks')
    await expect.poll(() => page.title()).toBe('(1) Tasks · Drawbridge')
    await page.getByRole('link', { name: /Inbox.*1/ }).waitFor()
    const [asked] = await task.asks()
    await stage.service.client.answer(asked!.id, { answer: 'deny' })
    await expect.poll(() => page.title()).toBe('Tasks · Drawbridge')
  })
})

describe('with the keyboard only', () => {
  it('questions are gone through, allowed and denied', async () => {
    const [first, second] = [await start('touch key-one'), await start('touch key-two')]
    const page = await stage.open('/tasks')
    await page.getByRole('link', { name: 'Task touch key-two' }).waitFor()
    await press(page, 'g i', page.getByRole('article').nth(1))
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await press(page, 'd', page.getByText('Denied by'))
    await page.keyboard.press('d')
    await page.keyboard.press('k')
    await press(page, 'a', page.getByText('Allowed once by'))
    await Promise.all([first.ended(), second.ended()])
    expect([first.made('key-one'), second.made('key-two')]).toEqual([true, false])
  })

  it('a second press never answers the next question', async () => {
    const [first, second] = [await start('touch press-one'), await start('touch press-two')]
    const page = await stage.open('/inbox')
    await page.getByRole('article').nth(1).waitFor()
    await page.keyboard.press('j')
    await press(page, 'a', page.getByText('Allowed once by'))
    await page.keyboard.press('a')
    await first.ended()
    expect([first.made('press-one'), second.made('press-two')]).toEqual([true, false])
    expect(await second.asks()).toHaveLength(1)
    await stage.service.client.tasks.interrupt(second.id)
  })

  it('a question is denied on the page of its task', async () => {
    const task = await start('touch in-task')
    const page = await stage.open(`/tasks/${task.id}`)
    await page.getByRole('button', { name: 'Allow once' }).waitFor()
    await page.keyboard.press('j')
    await press(page, 'd', page.getByText('Denied by'))
    await task.ended()
    expect(task.made('in-task')).toBe(false)
  })

  it('help opens with ? and says so', async () => {
    const page = await stage.open('/inbox')
    await page.getByRole('heading', { name: 'Inbox' }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog').getByText('Allow the question that has the focus, once').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })
})
