// A task in a worktree in the console: chosen, shown, committed file by file, applied, discarded.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import {
  lastUserText,
  type ModelRequest,
  makeWorkspace,
  message,
  shell,
  toolOutputs,
} from '../../src/testing/index.ts'
import { git, makeGitRepo } from '../support/git-repo.ts'
import { consoleStage } from './support/open-console.ts'

function script(request: ModelRequest) {
  const [told] = toolOutputs(request)
  return told ? message('done') : shell(lastUserText(request))
}

const stage = consoleStage(script, { files: { 'a.txt': 'one\n' } })
const writing = { policy: { sandbox: 'workspace-write' as const }, preset: 'workspace' as const }

it('where another task writes, both ways on are offered; the work is committed, applied and discarded', async () => {
  const { client, cwd } = stage.service
  for (const [key, value] of [
    ['user.name', 'Ada'],
    ['user.email', 'ada@example.org'],
  ] as const)
    git(cwd, 'config', key, value)
  git(cwd, 'add', '-A')
  git(cwd, 'commit', '-q', '-m', 'Begin')
  const holder = await client.tasks.start({ prompt: 'sleep 300', cwd, ...writing, preset: 'ask-all' })
  const page = await stage.open('/new')
  await page.getByLabel('What should Codex do?').fill('echo two >> a.txt; echo new > new.txt')
  await page.getByLabel('Folder', { exact: true }).fill(cwd)
  await page.getByLabel('Works in').selectOption('folder')
  await page.getByLabel('Sandbox').selectOption('workspace-write')
  await page.getByRole('button', { name: 'Start the task' }).click()
  await page.getByRole('button', { name: 'Share the folder' }).waitFor()
  await page.getByRole('button', { name: 'Start it in a worktree' }).click()
  await page.waitForURL(/\/tasks\/[0-9a-f-]+$/)
  const id = page.url().split('/').at(-1)!
  await client.tasks.interrupt(holder.id)
  const task = await client.tasks.wait(id, { timeoutMs: 60_000 })
  expect(task).toMatchObject({ status: 'completed', workspace: { kind: 'worktree', source: cwd } })

  await page.getByText(`a worktree of ${cwd}`).waitFor()
  await page.getByRole('tab', { name: 'Changes' }).click()
  await page.getByRole('checkbox', { name: /new\.txt/ }).uncheck()
  await page.getByLabel('Message of the commit').fill('A word')
  await page.getByRole('button', { name: 'Commit', exact: true }).click()
  await page.getByText('2 files changed, 1 of them uncommitted; 1 commits.').waitFor()
  expect(git(task.cwd, 'status', '--porcelain')).toBe('?? new.txt')
  await page.getByLabel('How it is applied').selectOption('merge')
  await page.getByText(`to the branch ${git(cwd, 'branch', '--show-current')}.`).waitFor()
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByText('commit them first').waitFor()
  await page.getByLabel('How it is applied').selectOption('patch')
  await page.getByText(`Apply changes files in ${cwd}`).waitFor()
  await page.getByRole('button', { name: 'Apply' }).click()
  await expect.poll(() => existsSync(path.join(cwd, 'new.txt'))).toBe(true)
  expect(readFileSync(path.join(cwd, 'a.txt'), 'utf8')).toBe('one\ntwo\n')

  // Kept as it is, and taken up again beside it.
  await page.getByRole('button', { name: 'Take snapshot' }).click()
  await page.getByText('1 turns').waitFor()
  await page.getByRole('button', { name: 'Restore', exact: true }).click()
  await page.waitForURL((url) => !url.pathname.endsWith(id))
  const restored = await client.tasks.get(page.url().split('/').at(-1)!)
  expect(restored).toMatchObject({ forkedFrom: id, status: 'idle', workspace: { kind: 'snapshot' } })
  expect(existsSync(path.join(restored.cwd, 'new.txt'))).toBe(true)
  await page.goBack()
  await page.getByRole('tab', { name: 'Changes' }).click()

  await page.getByRole('button', { name: 'Discard…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('new.txt').waitFor()
  await dialog.getByText('A word').waitFor()
  await dialog.getByRole('button', { name: 'Discard', exact: true }).click()
  await expect.poll(() => existsSync(task.cwd)).toBe(false)
  expect(git(cwd, 'log', '-1', '--format=%s', task.workspace!.branch!)).toBe('A word')
}, 120_000)

it('of several repositories one is chosen: its changes are shown, committed and discarded, and no others', async () => {
  const folder = await makeWorkspace()
  onTestFinished(() => folder.remove())
  const [shop, lib] = ['shop', 'lib'].map((name) =>
    makeGitRepo(path.join(folder.path, name), { 'a.txt': name }),
  )
  const page = await stage.open('/new')
  await page.getByLabel('What should Codex do?').fill('cd ../lib-* && echo two > new.txt')
  await page.getByRole('textbox', { name: 'Folder', exact: true }).fill(shop!.path)
  await page.getByLabel('Works in').selectOption('worktree')
  await page.getByLabel('Further repositories').fill(`${lib!.path}\n`)
  await page.getByLabel('Sandbox').selectOption('workspace-write')
  await page.getByRole('button', { name: 'Start the task' }).click()
  await page.waitForURL(/\/tasks\/[0-9a-f-]+$/)
  const id = page.url().split('/').at(-1)!
  const task = await stage.service.client.tasks.wait(id, { timeoutMs: 60_000 })
  const [inLib] = task.workspace!.parts
  expect(readFileSync(path.join(inLib!.folder, 'new.txt'), 'utf8')).toBe('two\n')
  await page.getByText(`also ${inLib!.folder}`).waitFor()

  await page.getByRole('tab', { name: 'Changes' }).click()
  await page.getByText('No files were changed').waitFor()
  await page.getByLabel('Repository').selectOption(inLib!.id)
  await page.getByRole('checkbox', { name: /new\.txt/ }).waitFor()
  await page.getByLabel('Message of the commit').fill('In lib')
  await page.getByRole('button', { name: 'Commit', exact: true }).click()
  await page.getByText('1 files changed, 0 of them uncommitted; 1 commits.').waitFor()
  expect(git(inLib!.folder, 'log', '-1', '--format=%s')).toBe('In lib')
  await page.getByRole('button', { name: 'Discard…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Discard', exact: true }).click()
  await expect.poll(() => existsSync(inLib!.folder)).toBe(false)
  await page.getByText('It has changed nothing.').waitFor()
  await page.getByLabel('Repository').waitFor({ state: 'detached' })
  expect(existsSync(task.cwd)).toBe(true)
}, 120_000)
