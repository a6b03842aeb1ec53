// Pictures of every screen, light, dark and on a phone: `node scripts/screenshots.mjs [folder] [name …]`.
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { openChromium } from '../test/browser/support/chromium.ts'
import { startService } from '../test/browser/support/running-service.ts'
import { FILES, scene } from '../test/browser/support/scene.ts'

const [out = 'dist/screenshots', ...only] = process.argv.slice(2)
mkdirSync(out, { recursive: true })

const home = {
  config: {
    'features.default_mode_request_user_input': true,
    'features.request_permissions_tool': true,
    'tools.update_plan.enabled': true,
  },
}
const folder = makeFolder()
const service = await startService(scene, { home })
const browser = await openChromium()
try {
  const first = await browser.newContext()
  const login = await first.newPage()
  await login.goto(service.loginLink)
  const cookies = await first.cookies()
  await picture(login, '00-first-visit', '/tasks')
  const tasks = await startTasks()
  const screens = [
    ['01-inbox', '/inbox'],
    ['02-tasks', '/tasks'],
    ['03-board', '/tasks', { 'drawbridge.tasks-view': '"board"' }],
    ['04-task', `/tasks/${tasks.fix}`],
    ['04b-task-usage', `/tasks/${tasks.fix}`, {}, 'Usage'],
    ['04c-task-changes', `/tasks/${tasks.fix}`, {}, 'Changes'],
    ['04d-task-events', `/tasks/${tasks.fix}`, {}, 'Events'],
    ['04e-task-files', `/tasks/${tasks.fix}`, {}, 'Files'],
    ['05-task-asks', `/tasks/${tasks.publish}`],
    ['06-task-works', `/tasks/${tasks.write}`],
    ['07-task-failed', `/tasks/${tasks.quota}`],
    ['08-new', '/new'],
    ['09-rules', '/rules'],
    ['10-system', '/system'],
    ['11-login', '/', null],
    ['12-card-command', await cardOf(tasks.sum)],
    ['12b-card-diff', await cardOf(tasks.rename)],
    ['12c-card-permissions', await cardOf(tasks.needs)],
  ]
  const looks = [
    ['light', { viewport: { width: 1360, height: 860 }, colorScheme: 'light' }],
    ['dark', { viewport: { width: 1360, height: 860 }, colorScheme: 'dark' }],
    [
      'phone',
      { viewport: { width: 380, height: 760 }, colorScheme: 'light', isMobile: true, hasTouch: true },
    ],
  ]
  for (const [look, options] of looks)
    for (const [name, address, kept = {}, tab] of screens) {
      if (only.length > 0 && !only.some((word) => `${name}-${look}`.includes(word))) continue
      const context = await browser.newContext(options)
      if (kept !== null) await context.addCookies(cookies)
      await context.addInitScript((values) => {
        for (const [key, value] of Object.entries(values)) localStorage.setItem(key, value)
      }, kept ?? {})
      const page = await context.newPage()
      await picture(page, `${name}-${look}`, address, tab)
      await context.close()
    }
} finally {
  await browser.close()
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
}

/** One with a name that is good to look at. */
function makeFolder() {
  const made = path.join(tmpdir(), 'billing')
  mkdirSync(path.join(made, 'src'), { recursive: true })
  for (const [name, text] of Object.entries(FILES)) writeFileSync(path.join(made, name), text)
  execFileSync('git', ['init', '--quiet'], { cwd: made })
  return made
}

async function picture(page, name, address, tab) {
  page.on('console', (message) => message.type() === 'error' && console.error(`${name}: ${message.text()}`))
  page.on('pageerror', (error) => console.error(`${name}: ${error.message}`))
  await page.goto(service.url + address)
  await page.waitForLoadState('load')
  await page.waitForTimeout(900)
  if (tab) await openTab(page, tab)
  await page.screenshot({ path: path.join(out, `${name}.png`) })
}

async function openTab(page, name) {
  const tab = page.getByRole('tab', { name })
  if (!(await tab.isVisible())) await page.getByRole('button', { name: 'Details', exact: true }).click()
  await tab.click()
  // The ring of the focus is for whoever uses the keyboard.
  await tab.blur()
  await page.waitForTimeout(400)
}

/** The page of the question that a task asks. */
async function cardOf(taskId) {
  const { items } = await service.client.approvals({ taskId, status: 'pending' })
  return `/approvals/${items[0].id}`
}

/** Everything but what works on for ever has come to its end or its question. */
async function startTasks() {
  const { client } = service
  const cwd = folder
  const write = { policy: { sandbox: 'workspace-write' }, preset: 'workspace', shareFolder: true }
  const wanted = {
    docs: { prompt: 'Sum up the README for the newsletter', cwd, labels: ['docs'] },
    quota: { prompt: 'Check the quota of the staging cluster', cwd, policy: { model: 'gpt-unknown' } },
    fix: { prompt: 'Fix the flaky invoice test and cover it', cwd, labels: ['billing', 'bug'], ...write },
    rename: {
      prompt: 'Rename the package to ledger',
      cwd,
      labels: ['billing'],
      policy: { sandbox: 'read-only' },
    },
    publish: { prompt: 'Publish version 2.4.0 to the registry', cwd, labels: ['release'], ...write },
    choose: { prompt: 'Choose a store for reminders and set it up', cwd, labels: ['billing'] },
    sum: { prompt: 'Sum the second column of the reports', cwd, labels: ['billing'], ...write },
    needs: { prompt: 'Build it; it needs more than the sandbox gives', cwd },
    write: { prompt: 'Write the release notes for October', cwd, labels: ['release', 'docs'] },
  }
  const ids = {}
  for (const [name, request] of Object.entries(wanted)) {
    const { id } = await client.tasks.start(request)
    ids[name] = id
    if (name !== 'write') await client.tasks.wait(id, { timeoutMs: 60_000 })
  }
  await client.tasks.send(ids.fix, { input: 'Thank you. Is anything else using the old rounding?' })
  await client.tasks.wait(ids.fix, { timeoutMs: 60_000 })
  await client.addRule({ text: 'allow command git status' })
  await client.addRule({ text: 'deny command git push' })
  return ids
}
