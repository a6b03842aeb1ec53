// What is asked is shown whole and exactly, and so is what became of it.
import path from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import {
  applyPatch,
  functionCall,
  lastUserText,
  type ModelRequest,
  message,
  shell,
  toolOutputs,
} from '../../src/testing/index.ts'
import { consoleStage } from './support/open-console.ts'

const WIDE = 'x'.repeat(600)
const PATCH = `*** Begin Patch
*** Update File: wide.txt
@@
-const old = '${WIDE}-old-end'
+const fresh = '${WIDE}-fresh-end'
*** End Patch`
const requestedSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
const toml = [
  '[mcp_servers.asker]',
  `command = ${JSON.stringify(process.execPath)}`,
  `args = [${JSON.stringify(path.resolve('test/fixtures/mcp-server.mjs'))}]`,
  'env = { MCP_LOG = "/dev/null" }',
].join('\n')

function script(request: ModelRequest) {
  if (toolOutputs(request).length > 0) return message('done')
  const said = lastUserText(request)
  if (said === 'patch') return applyPatch(PATCH)
  if (said === 'form') return functionCall('form', { requestedSchema }, { namespace: 'mcp__asker' })
  if (said === 'danger') return functionCall('danger', { long: WIDE }, { namespace: 'mcp__asker' })
  return shell(said, { escalate: 'please' })
}

const stage = consoleStage(script, {
  home: { toml },
  files: { 'wide.txt': `const old = '${WIDE}-old-end'\n` },
})
const PHONE = { viewport: { width: 380, height: 760 }, hasTouch: true, isMobile: true }

async function ask(prompt: string, more: object = {}) {
  const { client, cwd } = stage.service
  const { id } = await client.tasks.start({ prompt, cwd, ...more })
  await client.tasks.wait(id, { timeoutMs: 30_000 })
  const [approval] = (await client.approvals({ taskId: id, status: 'pending' })).items
  const deny = () => client.answer(approval!.id, { answer: 'deny' })
  return { id, approval: approval!, address: `/approvals/${approval!.id}`, deny }
}

/** What of the card is wider than its box, or has an end that cannot be seen. */
const cutParts = (page: Page) =>
  page.evaluate(`[...document.querySelectorAll('article, article *')]
    .filter((one) => {
      const { overflowX, textOverflow, position } = getComputedStyle(one)
      const isCut = one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0
      const isNote = one.textContent.startsWith('Keys are for')
      return isCut && !isNote && position !== 'absolute' && (overflowX !== 'visible' || textOverflow === 'ellipsis')
    })
    .map((one) => one.outerHTML.slice(0, 120))`)

describe('a command', () => {
  const COMMANDS = [
    "awk '{print $2}' made",
    `printf '%s' "it's $HOME" | sed 's/\\$/"/' > 'a b'`,
    "echo \"\\$(id)\" '`x`' $'\\t'",
  ]

  it.each(COMMANDS)('is shown and copied exactly: %s', async (command) => {
    const { id, address, deny } = await ask(command)
    const page = await stage.open(address, { permissions: ['clipboard-read', 'clipboard-write'] })
    const shown = page.getByRole('article').locator('pre')
    await shown.waitFor()
    expect(await shown.textContent()).toBe(`$ ${command}`)
    await page.getByRole('button', { name: 'Copy the command' }).click()
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(command)
    await deny()
    await page.goto(`${stage.service.url}/tasks/${id}`)
    const line = page.getByRole('button', { name: /denied/ })
    await line.waitFor()
    expect(await line.locator('code').textContent()).toBe(command)
    await page.getByText(`: run ${command}`).waitFor()
    await line.click()
    await page.getByRole('button', { name: 'Copy the command' }).click()
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(command)
  })

  it('hides nothing: marks of direction, controls and odd spaces are spelled out', async () => {
    const { address, deny } = await ask('echo \u202egnp.exe\u2066 \u200bx; rm\u00a0-rf y')
    const page = await stage.open(address)
    const shown = page.getByRole('article').locator('pre')
    await shown.waitFor()
    expect(await shown.textContent()).toBe('$ echo \\u{202e}gnp.exe\\u{2066} \\u{200b}x; rm\\u{a0}-rf y')
    expect(await shown.locator('mark').allTextContents()).toEqual([
      '\\u{202e}',
      '\\u{2066}',
      '\\u{200b}',
      '\\u{a0}',
    ])
    await deny()
  })
})

describe.each([
  ['on a desk', { viewport: { width: 1280, height: 800 } }],
  ['on a phone', PHONE],
] as const)('nothing of it is cut %s', (_, options) => {
  it.each([
    ['a diff', 'patch', ['-old-end', '-fresh-end']],
    ['a command', `echo ${WIDE}-command-end`, ['-command-end']],
    ['a tool', 'danger', [WIDE]],
  ] as const)('%s', async (_kind, prompt, ends) => {
    const { address, deny } = await ask(prompt)
    const page = await stage.open(address, options)
    for (const end of ends)
      await page.getByRole('article').getByText(end).filter({ visible: true }).first().waitFor()
    expect(await cutParts(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
      options.viewport.width,
    )
    await deny()
  })
})

describe('the sandbox on a card', () => {
  it('is the one in force, and none is named before it is known', async () => {
    const { address, deny } = await ask('touch in-sandbox', { policy: { sandbox: 'workspace-write' } })
    const page = await stage.open('/tasks')
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/detail*', async (route) => {
      await held
      await route.continue()
    })
    await page.goto(stage.service.url + address)
    await page.getByText('sandbox: loading…').waitFor()
    expect(await page.getByRole('article').getByText('read-only').count()).toBe(0)
    release()
    await page.getByText('sandbox: may write in the workspace, no network').waitFor()
    await deny()
  })

  it('is that of the turn, when the turn has another than the task began with', async () => {
    const { client } = stage.service
    const first = await ask('touch first-turn')
    const page = await stage.open(first.address)
    await page.getByText('sandbox: read-only, no network').waitFor()
    await first.deny()
    await client.tasks.wait(first.id, { through: true, timeoutMs: 30_000 })
    for (const overrides of [{ sandbox: 'workspace-write' as const }, undefined]) {
      await client.tasks.send(first.id, { input: 'touch next-turn', ...(overrides && { overrides }) })
      await expect
        .poll(async () => (await client.approvals({ taskId: first.id, status: 'pending' })).items.length)
        .toBe(1)
      const [next] = (await client.approvals({ taskId: first.id, status: 'pending' })).items
      await page.goto(`${stage.service.url}/approvals/${next!.id}`)
      await page.getByText('sandbox: may write in the workspace, no network').waitFor()
      await client.answer(next!.id, { answer: 'deny' })
      await client.tasks.wait(first.id, { through: true, timeoutMs: 30_000 })
    }
  })
})

describe('a question of an MCP server', () => {
  it('does not offer to stop the turn, which codex would not do, and the transcript tells what was answered', async () => {
    const form = await ask('form')
    const page = await stage.open(form.address)
    const card = page.getByRole('article')
    await card.getByLabel('name').fill('Ada')
    expect(await card.getByRole('button', { name: 'Deny and stop' }).count()).toBe(0)
    await card.getByRole('button', { name: 'Send' }).click()
    await card.getByText('Answered “name: Ada” by console').waitFor()
    const denied = await ask('form')
    await denied.deny()
    await page.goto(`${stage.service.url}/tasks/${form.id}`)
    await page.getByText('Answered “name: Ada” by console: asker: Which one?').waitFor()
    await page.goto(`${stage.service.url}/tasks/${denied.id}`)
    await page.getByText('Denied by api:test: asker: Which one?').waitFor()
    await page.getByText('Turn done').waitFor()
    const refused = stage.service.client.answer(denied.approval.id, { answer: 'cancel' })
    await expect(refused).rejects.toMatchObject({ code: 'approval-settled' })
  })
})

describe('the page of one question, where notices lead', () => {
  it('shows it open, takes the answer, and shows how it ended, on a phone', async () => {
    const { address, approval } = await ask('touch noticed')
    const page = await stage.open(address, PHONE)
    await page.getByRole('button', { name: 'Deny', exact: true }).tap()
    await page.getByText('Denied by console').waitFor()
    await page.goto(stage.service.url + address)
    await page.getByText('Denied by console').waitFor()
    expect(await page.getByRole('button', { name: 'Allow once' }).count()).toBe(0)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(380)
    // The address that browsers' own notifications had.
    await page.goto(`${stage.service.url}/inbox#${approval.id}`)
    await page.getByText('Denied by console').waitFor()
    expect(new URL(page.url()).pathname).toBe(address)
  })

  it('says so when the question is gone', async () => {
    const page = await stage.open('/approvals/no-such-question')
    await page.getByText('This question is gone').waitFor()
  })
})
