// Hosts and accounts in the console: chosen in the form, shown with the task and its questions, looked at on the System page.
import { expect, it } from 'vitest'
import { codexConfig, message, shell, toolOutputs } from '../../src/testing/index.ts'
import { sshStage } from '../support/ssh/ssh-stage.ts'
import { consoleStage, seriousFindings } from './support/open-console.ts'

const stage = consoleStage((request) => {
  const [told] = toolOutputs(request)
  return told ? message(told.text) : shell('hostname > made; whoami', { escalate: 'needs it' })
})

it('starts a task on a host with an account, and shows both with the task and its question', async () => {
  const machine = await sshStage()
  const project = `${machine.home}/project`
  await machine.run('git', 'init', '-q', '-b', 'main', project)
  const someone = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
  await machine.run('git', '-C', project, ...someone, 'commit', '-q', '--allow-empty', '-m', 'Begin')
  const { client, model } = stage.service
  const page = await stage.open('/new')
  await page.getByLabel('What should Codex do?').fill('say who you are there')
  expect(await page.getByLabel('Host').count()).toBe(0)
  expect(await page.getByLabel('Account').count()).toBe(0)

  const destination = `${machine.destination}:${machine.port}`
  const { identityFile: identity, codexPath } = machine
  await client.addHost({ name: 'build', destination, identity, codexPath, labels: ['lab'] })
  const config = codexConfig(model)
  const login = { type: 'apiKey', apiKey: 'sk-of-the-test' } as const
  await client.accounts.add({ name: 'work', login, config, pools: ['team'] })
  await client.checkHost('build').catch(() => {})
  await page.goto(`${stage.service.url}/system`)
  const row = page.getByRole('list', { name: 'Hosts over SSH' }).getByRole('listitem')
  await row.getByText('Key not confirmed').waitFor()
  await row.getByText(machine.fingerprint()).waitFor()
  await row.getByText('drawbridge host check build', { exact: true }).waitFor()
  expect(await row.getByRole('button', { name: /confirm|accept/i }).count()).toBe(0)
  expect(await seriousFindings(page)).toEqual([])
  await client.checkHost('build', { acceptKey: machine.fingerprint(), provision: true })
  await row.getByText('Connected', { exact: true }).waitFor()
  await row.getByText('codex 0.166.0').waitFor()

  await page.goto(`${stage.service.url}/new`)
  await page.getByLabel('What should Codex do?').fill('say who you are there')
  await page.getByLabel('Host').selectOption('build')
  await page.getByLabel('Account').selectOption('pool:team')
  await page.getByText('Absolute, on host build. Folders there are untrusted.').waitFor()
  expect(await page.getByLabel('Folder', { exact: true }).inputValue()).toBe('')
  await page.getByLabel('Folder', { exact: true }).fill(project)
  await page.getByLabel('Works in').selectOption('worktree')
  await page.getByLabel('Sandbox').selectOption('workspace-write')
  expect(await seriousFindings(page)).toEqual([])
  await page.getByRole('button', { name: 'Start the task' }).click()

  const question = page.getByRole('article')
  await question.getByText('on host build').waitFor()
  await question.getByText('account pool:team (work)').waitFor()
  const details = page.getByRole('complementary', { name: 'Details' })
  await details.getByText('build', { exact: true }).waitFor()
  await details.getByText('work, of the pool:team').waitFor()
  // Trust in a folder of the same path here says nothing about that one.
  expect(await page.getByText('Trust…').count()).toBe(0)
  expect(await question.getByRole('button', { name: 'trust the folder…' }).count()).toBe(0)
  expect(await seriousFindings(page)).toEqual([])
  await page.goto(`${stage.service.url}/inbox`)
  await page.getByRole('article').getByText('on host build').waitFor()
  await page.getByRole('button', { name: 'Allow once' }).click()
  await page.goto(`${stage.service.url}/tasks`)
  const task = page.getByRole('listitem').filter({ hasText: 'say who you are there' })
  await task.getByText('on host build').waitFor()
  await task.getByText('account pool:team (work)').waitFor()
  await task.getByText('Completed').waitFor()
  expect(await machine.run('ls', project)).toBe('')
  const [workspace] = await client.workspaces.list()
  expect(workspace).toMatchObject({ host: 'build', kind: 'worktree', source: project, uncommitted: 1 })
  expect(await machine.run('ls', workspace!.folder)).toContain('made')
  await task.getByRole('link').first().click()
  await page.getByRole('tab', { name: 'Changes' }).click()
  await page.getByText('made', { exact: true }).first().waitFor()
  await page.getByText(`Apply changes files in ${project} on build and commits nothing.`).waitFor()
}, 120_000)
