// Where a yes gives no network, the card says so and offers what does.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type ModelRequest, message, shell, toolOutputs } from '../../src/testing/index.ts'
import { consoleStage } from './support/open-console.ts'

/** Asks to download in every turn, until it is told to go on. */
function script(request: ModelRequest) {
  const last = request.body.input?.at(-1) as { type?: string } | undefined
  if (last?.type?.endsWith('_output')) return message(toolOutputs(request).at(-1)?.text ?? '')
  return shell('echo installing', { escalate: 'to download' })
}

const stage = consoleStage(script, {})

async function ask() {
  const { client, cwd } = stage.service
  const { id } = await client.tasks.start({
    ...{ prompt: 'install', cwd, policy: { sandbox: 'workspace-write' } },
    // The tasks of the other tests here may still be at work.
    shareFolder: true,
  })
  await client.tasks.wait(id, { timeoutMs: 30_000 })
  return { id, first: await pending(id) }
}

async function pending(taskId: string) {
  const [approval] = (await stage.service.client.approvals({ taskId, status: 'pending' })).items
  return approval
}

async function nextQuestion(taskId: string, before: string) {
  await expect.poll(async () => (await pending(taskId))?.id ?? before).not.toBe(before)
  return (await pending(taskId))!
}

async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.PICTURES
  if (folder) await page.screenshot({ path: path.join(folder, `access-${name}.png`), fullPage: true })
}

describe('a command in an untrusted folder', () => {
  it('is tried again with network, in another turn', async () => {
    const { id, first } = await ask()
    const page = await stage.open(`/approvals/${first!.id}`)
    await page.getByText('network and logins stay out of reach').waitFor()
    const again = page.getByRole('button', { name: 'Retry with network' })
    // A click on a card that has just moved does not count: a person would click again.
    await expect
      .poll(async () => {
        await again.click({ timeout: 2_000 }).catch(() => {})
        return (await stage.service.client.approval(first!.id)).status
      })
      .toBe('answered')
    const second = await nextQuestion(id, first!.id)
    expect(second.question).toMatchObject({ escalation: { network: true, protectedFiles: false } })
    const next = await stage.open(`/approvals/${second.id}`)
    await next.getByText('Runs now, once').waitFor()
    expect(await next.getByRole('button', { name: 'Retry with network' }).count()).toBe(0)
    await stage.service.client.answer(second.id, { answer: 'deny' })
  })

  it('is tried again once the folder is trusted, after the whole of what that starts was shown', async () => {
    const { cwd } = stage.service
    mkdirSync(path.join(cwd, '.codex'), { recursive: true })
    writeFileSync(
      path.join(cwd, '.codex', 'config.toml'),
      '[mcp_servers.named]\ncommand = "echo"\nargs = ["shown whole"]\n',
    )
    const { id, first } = await ask()
    const page = await stage.open(`/approvals/${first!.id}`)
    await page.getByRole('button', { name: 'trust the folder…' }).click()
    await page.getByText('shown whole').waitFor()
    await page.getByRole('button', { name: 'Trust this folder' }).click()
    const retry = page.getByRole('button', { name: 'End this turn and try again' })
    await retry.waitFor()
    expect((await stage.service.client.approval(first!.id)).status).toBe('pending') // trust alone answers nothing
    // Nothing on a card that has just moved counts.
    await expect
      .poll(async () => {
        await retry.click({ timeout: 2_000 }).catch(() => {})
        return (await stage.service.client.approval(first!.id)).status
      })
      .toBe('answered')
    const second = await nextQuestion(id, first!.id)
    expect(second.question).toMatchObject({ escalation: { network: true, protectedFiles: true } })
    await stage.service.client.answer(second.id, { answer: 'deny' })
  })

  it('of a confined task is asked about as what it is, and the form and the task say what it may touch', async () => {
    const { client, cwd } = stage.service
    const docs = path.join(path.dirname(cwd), `${path.basename(cwd)}-docs`)
    mkdirSync(docs)
    onTestFinished(() => rmSync(docs, { recursive: true }))
    const page = await stage.open('/new')
    await page.getByLabel('What should Codex do?').fill('install it')
    await page.getByLabel('Folder', { exact: true }).fill(cwd)
    await page.getByText('Folders and network that commands may use').click()
    await page.getByLabel('Network').selectOption('domains')
    await page.getByLabel('Domains').fill('example.org, *.npmjs.org')
    await page.getByLabel('More files and folders').fill(docs)
    await page.getByText('write ro: or rw: and an absolute path').waitFor()
    expect(await page.getByRole('button', { name: 'Start the task' }).isDisabled()).toBe(true)
    await page.getByLabel('More files and folders').fill(`ro:${docs}`)
    await page.getByLabel('Confined').check()
    await picture(page, 'form')
    await page.getByRole('button', { name: 'Start the task' }).click()
    await page.waitForURL(/\/tasks\/[0-9a-f-]+$/)
    const id = page.url().split('/').at(-1)!
    await client.tasks.wait(id, { timeoutMs: 30_000 })
    await page.getByText('it then sees and writes all your files but logins, without network').waitFor()
    await page.getByText('network to example.org, *.npmjs.org only, confined').waitFor()
    expect(await page.getByText('trust the folder…').count()).toBe(0)
    await page.getByRole('tab', { name: 'State' }).click()
    await page.getByText(`ro:${docs}`).waitFor()
    await picture(page, 'task')
    const { policy } = await client.tasks.get(id)
    expect(policy).toMatchObject({
      ...{ confined: true, allow: [{ path: docs, access: 'ro' }] },
      network: { domains: ['example.org', '*.npmjs.org'] },
    })
    await client.tasks.interrupt(id)
  })
})
