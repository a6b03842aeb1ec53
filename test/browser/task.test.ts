// A task in the browser while it happens.
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  hang,
  lastUserText,
  type ModelRequest,
  message,
  shell,
  toolOutputs,
} from '../../src/testing/index.ts'
import { consoleStage } from './support/open-console.ts'

const ODD = `<script>document.title='broken'</script>
<img src="https://example.com/spy.png" onerror="document.title='broken'">
![remote](https://example.com/remote.png)
[press](javascript:document.title='broken') [fine](https://example.com/)
<iframe src="https://example.com"></iframe><style>body{display:none}</style>

**bold** \u202Ereversed\u202C 👩‍👩‍👧‍👦 \u0000 Z̸̢̛a̷l̶g̵o̶ ${'x'.repeat(2000)} end-of-message`

/** Slowly counts, shows a message that is up to no good, runs something, or waits: for a file, or for ever. */
function script(request: ModelRequest) {
  const said = lastUserText(request)
  if (said === 'count') {
    const words = Array.from({ length: 60 }, (_, index) => `word-${index + 1} `)
    return message(words, { delayMs: 60 })
  }
  if (said === 'odd') return message(ODD)
  if (said === 'run')
    return toolOutputs(request).length === 0 ? shell('echo "hello from the shell"; exit 3') : message('ran')
  if (said === 'wait') return [message('Waiting.'), hang()]
  if (said === 'wait for the file')
    return shell('until [ -e go ]; do sleep 0.1; done', {
      arguments: { yield_time_ms: 30_000 },
    })
  return message(`heard: ${said}`)
}

const stage = consoleStage(script)

async function start(prompt: string) {
  const { client, cwd } = stage.service
  const { id } = await client.tasks.start({ prompt, cwd, preset: 'trusted' })
  return { id, address: `/tasks/${id}`, ended: () => client.tasks.wait(id, { timeoutMs: 40_000 }) }
}

describe('a task', () => {
  it('streams, and after a reload mid-stream shows exactly the transcript', async () => {
    const task = await start('count')
    const page = await stage.open(task.address)
    await page.getByText('word-5 ').waitFor()
    await page.reload()
    await page.getByText('word-12 ').waitFor()
    await task.ended()
    await page.getByText('Turn done').waitFor()
    const text = (await page.getByRole('region', { name: 'Transcript' }).textContent()) ?? ''
    const words = text.match(/word-\d+/g)
    expect(words).toEqual(Array.from({ length: 60 }, (_, index) => `word-${index + 1}`))
  })

  it('is steered while it works, and says where a message goes', async () => {
    const task = await start('wait for the file')
    const page = await stage.open(task.address)
    await page.getByText('running', { exact: true }).waitFor()
    const box = page.getByLabel('Message to Codex')
    await box.fill('queued words')
    await page.getByRole('radio', { name: 'Queue' }).click()
    await page.getByRole('button', { name: 'Queue', exact: true }).click()
    await page.getByText('Next turn: queued words').waitFor()
    await page.getByRole('radio', { name: 'Steer' }).click()
    await box.fill('steered words')
    await page.getByRole('button', { name: 'Steer', exact: true }).click()
    await expect.poll(() => box.inputValue()).toBe('')
    await writeFile(path.join(stage.service.cwd, 'go'), '')
    await page.getByText('heard: steered words').waitFor()
    await page.getByText('heard: queued words').waitFor()
  })

  it('is interrupted, and marked so', async () => {
    const task = await start('wait')
    const page = await stage.open(task.address)
    await page.getByText('Waiting.').waitFor()
    await page.getByRole('button', { name: 'Interrupt' }).click()
    await page.getByText('Turn interrupted').waitFor()
    expect((await task.ended()).status).toBe('interrupted')
  })

  it('shows a command with its output, exit code and duration', async () => {
    const task = await start('run')
    await task.ended()
    const page = await stage.open(task.address)
    await page.getByText('exit 3', { exact: true }).waitFor()
    await page.getByLabel('Output').getByText('hello from the shell').waitFor()
  })

  it('shows a hostile message as harmless text', async () => {
    const asked: string[] = []
    const task = await start('odd')
    await task.ended()
    const page = await stage.open(task.address)
    page.on('request', (request) => asked.push(request.url()))
    await page.getByText('end-of-message').waitFor()
    await page.locator('[data-streamdown="strong"]', { hasText: 'bold' }).waitFor()
    expect(await page.title()).not.toContain('broken')
    expect(await page.locator('section[aria-label="Transcript"] :is(script, iframe, style)').count()).toBe(0)
    expect(await page.locator('img[src^="http"]').count()).toBe(0)
    expect(await page.locator('a[href^="javascript"]').count()).toBe(0)
    expect(asked.filter((url) => url.includes('example.com'))).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  })

  it('is sent an image, which the model gets and the transcript shows', async () => {
    const task = await start('hello')
    await task.ended()
    const page = await stage.open(task.address)
    const png =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    await page
      .getByLabel('Attach images')
      .setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(png, 'base64') })
    await page.getByLabel('Message to Codex').fill('look at this')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('region', { name: 'Transcript' }).getByRole('img', { name: 'Attached' }).waitFor()
    await page.getByText('heard: look at this').waitFor()
    const asked = JSON.stringify(stage.service.model.requests.at(-1)?.body.input)
    expect(asked).toContain('data:image/png;base64')
  })

  it('is started from the page, which remembers what was used', async () => {
    const page = await stage.open('/new')
    await page.getByLabel('What should Codex do?').fill('say hello')
    await page.getByLabel('Folder', { exact: true }).fill(stage.service.cwd)
    await page.getByRole('button', { name: 'Start the task' }).click()
    await page.getByText('heard: say hello').waitFor()
    await page.goto(`${stage.service.url}/new`)
    expect(await page.getByLabel('Folder', { exact: true }).inputValue()).toBe(stage.service.cwd)
    expect(await page.getByLabel('What should Codex do?').inputValue()).toBe('')
  })
})
