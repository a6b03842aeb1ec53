// How soon the console can be used, beside a bare React page from the same kind of server; and how much of it is fetched.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { expect, it } from 'vitest'
import { serve } from '../../src/api/fixtures/serve.ts'
import { message } from '../../src/testing/index.ts'
import { consoleStage } from './support/open-console.ts'

const MAX_INITIAL_BYTES = 250_000
const ROUNDS = 9
const stage = consoleStage(() => message('fine'))

it('fetches at most 250 KB of compressed script before it can be used', async () => {
  const page = await stage.open('/inbox')
  await page.getByRole('navigation').first().waitFor()
  const names = (await page.evaluate(
    `performance.getEntriesByType('resource').map((entry) => new URL(entry.name).pathname)`,
  )) as string[]
  const scripts = [...new Set(names.filter((name) => name.endsWith('.js')))]
  const sizes = await Promise.all(
    scripts.map(async (name) => gzipSync(await readFile(path.join('dist/console', name))).length),
  )
  const total = sizes.reduce((sum, size) => sum + size, 0)
  console.log(`initial script: ${(total / 1000).toFixed(1)} KB gzip in ${scripts.length} files`)
  expect(total).toBeLessThan(MAX_INITIAL_BYTES)
})

it('can be used within 1.5 times what a bare React page takes', async () => {
  const bare = await serveBarePage()
  const times = { console: [] as number[], bare: [] as number[] }
  for (let round = 0; round < ROUNDS; round++) {
    times.bare.push(await usableAfter(`${bare}/`, 'button'))
    times.console.push(await usableAfter(`${stage.service.url}/inbox`, 'nav a'))
  }
  const [ours, theirs] = [median(times.console), median(times.bare)]
  console.log(
    `usable after ${ours.toFixed(0)} ms; bare React page ${theirs.toFixed(0)} ms; ${(ours / theirs).toFixed(2)} times`,
  )
  expect(ours / theirs).toBeLessThan(1.5)
})

/** Milliseconds from the navigation until this is on the page, in a browser profile without a cache. */
async function usableAfter(url: string, selector: string): Promise<number> {
  const page = await stage.open('/favicon.svg')
  await page.addInitScript(`
    new MutationObserver((_, observer) => {
      if (!document.querySelector(${JSON.stringify(selector)})) return
      observer.disconnect()
      window.usableAt = performance.now()
    }).observe(document, { childList: true, subtree: true })
  `)
  await page.goto(url)
  await page.locator(selector).first().waitFor()
  const usableAt = (await page.evaluate('window.usableAt')) as number
  await page.context().close()
  return usableAt
}

async function serveBarePage(): Promise<string> {
  const root = path.resolve('node_modules/.cache/bare-page')
  await mkdir(root, { recursive: true })
  const html = '<!doctype html><div id="root"></div><script type="module" src="/main.js"></script>'
  const script = `import { createElement } from 'react'
import { createRoot } from 'react-dom/client'
createRoot(document.getElementById('root')).render(createElement('button', null, 'Hello'))
`
  await Promise.all([
    writeFile(path.join(root, 'index.html'), html),
    writeFile(path.join(root, 'main.js'), script),
  ])
  await build({ root, logLevel: 'error', configFile: false, build: { outDir: 'out', emptyOutDir: true } })
  const door = await serve({ consoleDir: path.join(root, 'out') })
  return door.url
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]!
}
