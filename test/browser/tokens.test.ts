// Tokens and tasks below tasks, as the owner sees them in the console.
import { describe, expect, it } from 'vitest'
import { hang, message } from '../../src/testing/index.ts'
import { consoleStage, seriousFindings } from './support/open-console.ts'

const stage = consoleStage(() => [message('Waiting.'), hang()])

describe('the System page', () => {
  it('lists tokens with what they may do, and revokes one after a question', async () => {
    const { client, cwd } = stage.service
    await client.addToken({ name: 'ci-bot', may: ['read', 'start'], ceiling: { folders: [cwd] } })
    await client.addToken({ name: 'reviewer', tasks: 'all', may: ['read', 'answer'] })
    const page = await stage.open('/system')
    const row = page.getByRole('list', { name: 'Tokens' }).getByRole('listitem').filter({ hasText: 'ci-bot' })
    await row.waitFor()
    const text = await row.textContent()
    expect(text).toContain('May see tasks, start tasks; only its own')
    expect(text).toContain(`At most read-only, ask-all, in ${cwd}`)
    expect(text).toContain('Never used')
    expect(await seriousFindings(page)).toEqual([])
    await page.getByRole('button', { name: 'Revoke ci-bot' }).click()
    const dialog = page.getByRole('dialog', { name: 'Revoke ci-bot?' })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect((await client.tokens()).filter(({ state }) => state === 'valid')).toHaveLength(2)
    await page.getByRole('button', { name: 'Revoke ci-bot' }).click()
    await dialog.getByRole('button', { name: 'Revoke ci-bot' }).click()
    await row.waitFor({ state: 'detached' })
    const states = (await client.tokens()).map(({ name, state, revokedBy }) => [name, state, revokedBy])
    expect(states.toSorted()).toEqual([
      ['ci-bot', 'revoked', 'console'],
      ['reviewer', 'valid', null],
    ])
  })
})

describe('a task with others below it', () => {
  it('shows them, and offers to interrupt them with it', async () => {
    const { client, cwd } = stage.service
    const top = await client.tasks.start({ prompt: 'the top', cwd })
    const child = await client.tasks.start({ prompt: 'the child', cwd, parent: { taskId: top.id } })
    const statusOf = async (id: string) => (await client.tasks.get(id)).status
    for (const { id } of [top, child]) await expect.poll(() => statusOf(id)).toBe('working')
    const page = await stage.open(`/tasks/${child.id}`)
    const related = page.getByRole('list', { name: 'Related tasks' })
    await related.getByRole('link', { name: 'the top' }).click()
    await related.getByRole('link', { name: 'the child' }).waitFor()
    await page.getByRole('button', { name: 'Interrupt' }).click()
    const dialog = page.getByRole('dialog', { name: 'Interrupt the tasks it started, too?' })
    await dialog.getByText('A task that this one started is still at work.').waitFor()
    await dialog.getByRole('button', { name: 'Only this task' }).click()
    await expect.poll(() => statusOf(top.id)).toBe('interrupted')
    expect(await statusOf(child.id)).toBe('working')
    await page.getByRole('button', { name: 'Interrupt' }).click()
    await dialog.getByRole('button', { name: 'Interrupt them' }).click()
    await expect.poll(() => statusOf(child.id)).toBe('interrupted')
    await page.getByRole('button', { name: 'Interrupt' }).waitFor({ state: 'detached' })
  })

  it('offers to interrupt those that work below one that has ended', async () => {
    const { client, cwd } = stage.service
    const top = await client.tasks.start({ prompt: 'the first', cwd })
    const child = await client.tasks.start({ prompt: 'the second', cwd, parent: { taskId: top.id } })
    const last = await client.tasks.start({ prompt: 'the third', cwd, parent: { taskId: child.id } })
    const statusOf = async (id: string) => (await client.tasks.get(id)).status
    for (const { id } of [top, child, last]) await expect.poll(() => statusOf(id)).toBe('working')
    await client.tasks.interrupt(child.id)
    const page = await stage.open(`/tasks/${top.id}`)
    await page.getByRole('link', { name: 'the second' }).waitFor()
    await page.getByRole('button', { name: 'Interrupt' }).click()
    const dialog = page.getByRole('dialog', { name: 'Interrupt the tasks it started, too?' })
    await dialog.getByText('A task that this one started is still at work.').waitFor()
    await dialog.getByRole('button', { name: 'Interrupt all' }).click()
    for (const { id } of [top, last]) await expect.poll(() => statusOf(id)).toBe('interrupted')
  })
})
