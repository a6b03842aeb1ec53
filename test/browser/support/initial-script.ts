import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'

export interface InitialScript {
  /** Compressed. */
  readonly bytes: number
  readonly files: number
}

/** The script this page has fetched so far. */
export async function initialScript(page: Page): Promise<InitialScript> {
  const names: string[] = await page.evaluate(
    `performance.getEntriesByType('resource').map((entry) => new URL(entry.name).pathname)`,
  )
  const scripts = [...new Set(names.filter((name) => name.endsWith('.js')))]
  const sizes = scripts.map(async (name) => gzipSync(await readFile(path.join('dist/console', name))).length)
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  return { bytes, files: scripts.length }
}
