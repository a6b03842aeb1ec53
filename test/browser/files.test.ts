// Files in the console: attached and dropped, told with the next message, and looked at, without anything of them acting.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { lastUserText, message } from '../../src/testing/index.ts'
import { consoleStage } from './support/open-console.ts'

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const EVIL =
  '<svg xmlns="http://www.w3.org/2000/svg" onload="document.title=1"><script>document.title=2</script></svg>'

const stage = consoleStage((request) => message(`heard: ${lastUserText(request)}`), {
  files: { 'a.txt': 'one\n' },
})

it('files are attached, dropped and told; a folder is opened, and its files are shown and downloaded', async () => {
  const { client, cwd } = stage.service
  mkdirSync(path.join(cwd, 'docs'))
  writeFileSync(path.join(cwd, 'docs', 'page.html'), '<h1>not a heading</h1>')
  writeFileSync(path.join(cwd, 'docs', 'evil.svg'), EVIL)
  writeFileSync(path.join(cwd, 'pixel.png'), Buffer.from(PIXEL, 'base64'))
  writeFileSync(path.join(cwd, 'data.bin'), Buffer.alloc(5000))
  const { id } = await client.tasks.start({ prompt: 'hello', cwd, keepOpen: true })
  await client.tasks.wait(id, { timeoutMs: 60_000 })
  const page = await stage.open(`/tasks/${id}`)

  await page
    .getByLabel('Attach files')
    .setInputFiles({ name: 'numbers.csv', mimeType: 'text/csv', buffer: Buffer.from('a,b\n1,2\n') })
  const waiting = page.getByRole('list', { name: 'Files for the next message' })
  await waiting.getByText('numbers.csv').waitFor()
  const dropped = await page.evaluateHandle(`(() => {
    const data = new DataTransfer()
    data.items.add(new File(['<script>'], 'dropped.html', { type: 'image/png' }))
    return data
  })()`)
  await page.getByLabel('Message to Codex').dispatchEvent('drop', { dataTransfer: dropped })
  await waiting.getByText('dropped.html').waitFor()
  await page
    .getByLabel('Attach files')
    .setInputFiles({ name: 'wrong.txt', mimeType: 'x', buffer: Buffer.from('x') })
  await page.getByRole('button', { name: 'Take back wrong.txt' }).click()
  await waiting.getByText('wrong.txt').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Send' }).click()
  await page
    .getByText(/heard: I have uploaded files for you\.[\s\S]*numbers\.csv" \(8 bytes, text\/csv\)/)
    .waitFor()
  await waiting.waitFor({ state: 'detached' })
  expect((await client.files.uploads(id)).map(({ name, isTold }) => [name, isTold])).toEqual([
    ['numbers.csv', true],
    ['dropped.html', true],
  ])

  const [told] = await client.files.uploads(id)
  await expect(client.files.takeBack(id, told!.id)).rejects.toMatchObject({ code: 'upload-not-found' })
  expect((await client.files.list(id, { in: 'uploads' })).entries).toHaveLength(2)

  await page.getByRole('tab', { name: 'Files' }).click()
  const panel = page.getByRole('tabpanel')
  await panel.getByRole('button', { name: 'docs' }).click()
  await panel.getByRole('button', { name: /page\.html/ }).click()
  await panel.getByText('<h1>not a heading</h1>').waitFor()
  await panel.getByRole('button', { name: /evil\.svg/ }).click()
  await panel.getByText('<script>document.title=2').waitFor()
  await panel.getByRole('button', { name: /numbers\.csv/ }).click()
  await panel.getByText('1,2').waitFor()
  await panel.getByRole('button', { name: /data\.bin/ }).click()
  await panel.getByText('This is not text').waitFor()
  await panel.getByRole('button', { name: /pixel\.png/ }).click()
  const image = panel.getByRole('img', { name: 'pixel.png' })
  expect(await image.getAttribute('src')).toBe(`data:image/png;base64,${PIXEL}`)
  const download = page.waitForEvent('download')
  await panel.getByRole('link', { name: 'Download' }).click()
  expect(readFileSync(await (await download).path()).toString('base64')).toBe(PIXEL)
  expect(await page.title()).not.toMatch(/^\d$/)
  const look = process.env.DRAWBRIDGE_LOOK
  if (look) await page.screenshot({ path: `${look}/files.png` })

  const large = { name: 'large', mimeType: 'x/x', buffer: Buffer.alloc(5_000) }
  await page.getByLabel('Attach files').setInputFiles(Array.from({ length: 21 }, () => large))
  await page.getByText('at most 20 files at once').waitFor()
  expect(await client.files.uploads(id)).toHaveLength(2)
}, 120_000)
