// How soon the console can be used, against a bare React page from the same server; how a task of 50,000 events opens
// and scrolls, against one of 200; and how much script is fetched first.
// Run: npm run bench:console
import path from 'node:path'
import type { Page } from 'playwright-core'
import { buildConsole } from '../scripts/build-console.mjs'
import { insertTask } from '../src/store/rows/task-rows.ts'
import { newTask } from '../src/tasks/intake/new-task.ts'
import { fillTask, lastMessage } from '../test/browser/support/fill-task.ts'
import { atShare, watchFrames } from '../test/browser/support/frames.ts'
import { initialScript } from '../test/browser/support/initial-script.ts'
import { buildBarePage } from './bare-page.ts'
import { median, printTable } from './report.ts'
import { type BenchService, openService } from './service.ts'
import { openVisits, type Visits } from './visits.ts'

const WARM_UP = 1
const ROUNDS = 11
const SCROLL_ROUNDS = 3
const WHEEL_TURNS = 120
const WHEEL_PX = 2500
const SIZES = { '200 events': 200, '50,000 events': 50_000 }
type Size = keyof typeof SIZES
const sizes = Object.keys(SIZES) as Size[]

/** Each side in turn and in changing order, so that whatever else the machine does hits both alike. */
async function inTurn<Name extends string>(
  names: readonly Name[],
  rounds: number,
  measure: (name: Name) => Promise<readonly number[]>,
): Promise<Record<Name, number[]>> {
  const samples = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, number[]>
  for (let round = -WARM_UP; round < rounds; round++)
    for (const name of round % 2 ? names : names.toReversed()) {
      const taken = await measure(name)
      if (round >= 0) samples[name].push(...taken)
    }
  return samples
}

interface Place {
  readonly address: string
  /** What makes it usable. */
  readonly selector: string
}

/** From the navigation until it is usable, in a profile without a cache. */
async function usableAfter(visits: Visits, { address, selector }: Place): Promise<number> {
  await using visit = await visits.open()
  const { page } = visit
  await page.addInitScript(`
    new MutationObserver((_, observer) => {
      if (!document.querySelector(${JSON.stringify(selector)})) return
      observer.disconnect()
      window.usableAt = performance.now()
    }).observe(document, { childList: true, subtree: true })
  `)
  await page.goto(address)
  await page.locator(selector).first().waitFor()
  return await page.evaluate('window.usableAt')
}

/** From the press until the last message of the task is drawn, as the page itself counts. */
async function openedAfter(page: Page, size: Size): Promise<number> {
  await page.getByRole('link', { name: size }).waitFor()
  return page.evaluate(`new Promise((resolve) => {
    const startedAt = performance.now()
    new MutationObserver((_, observer) => {
      const box = document.querySelector('section[aria-label="Transcript"]')
      if (!box?.textContent.includes('${lastMessage(SIZES[size])}')) return
      observer.disconnect()
      resolve(performance.now() - startedAt)
    }).observe(document.body, { childList: true, subtree: true })
    ;[...document.querySelectorAll('a')].find((link) => link.textContent === '${size}').click()
  })`)
}

/** Frames while the wheel turns: upwards, and back where the task ends. */
async function framesOfScrolling(page: Page): Promise<number[]> {
  await page.getByRole('region', { name: 'Transcript' }).hover()
  const frames = await watchFrames(page)
  let direction = -1
  for (let turn = 0; turn < WHEEL_TURNS; turn++) {
    await page.mouse.wheel(0, direction * WHEEL_PX)
    const [isTop, isEnd]: boolean[] =
      await page.evaluate(`new Promise((resolve) => requestAnimationFrame(() => {
      const { scrollTop, scrollHeight, clientHeight } = document.querySelector('section[aria-label="Transcript"]')
      resolve([scrollTop <= 0, scrollTop + clientHeight >= scrollHeight - 1])
    }))`)
    if (isTop && !(await page.getByText('Older events are fetched').isVisible())) direction = 1
    else if (isEnd) direction = -1
  }
  return frames()
}

async function addTasks({ db, dataDir }: BenchService): Promise<void> {
  for (const size of sizes) {
    const { task } = newTask({ prompt: size, cwd: '/' }, { now: Date.now(), defaultNotify: [] })
    await insertTask(db, { ...task, status: 'completed', queued_at: null }, [])
    const filled = { id: task.id, threadId: 'thread', fromSeq: 1, events: SIZES[size] }
    fillTask(path.join(dataDir, 'drawbridge.db'), filled)
  }
}

async function compareFirstUse(visits: Visits, { api }: BenchService): Promise<number> {
  const bare = await openService({ consoleDir: await buildBarePage() })
  const places = {
    'bare React page': { address: `${bare.api.url}/`, selector: 'button' },
    console: { address: `${api.url}/inbox`, selector: 'nav a' },
  }
  const names = Object.keys(places) as (keyof typeof places)[]
  const samples = await inTurn(names, ROUNDS, async (name) => [await usableAfter(visits, places[name])])
  await bare.end()
  const rows = names.map((page) => ({ page, ms: median(samples[page]).toFixed(0) }))
  printTable(`usable after, without a cache, median of ${ROUNDS} rounds`, rows)
  return median(samples.console) / median(samples['bare React page'])
}

async function compareSizes(visits: Visits, { api }: BenchService) {
  const opened = await inTurn(sizes, ROUNDS, async (size) => {
    await using visit = await visits.open(`${api.url}/tasks`)
    return [await openedAfter(visit.page, size)]
  })
  const frames = await inTurn(sizes, SCROLL_ROUNDS, async (size) => {
    await using visit = await visits.open(`${api.url}/tasks`)
    await openedAfter(visit.page, size)
    return await framesOfScrolling(visit.page)
  })
  printTable(
    `a task opened (median of ${ROUNDS} rounds) and scrolled through (${SCROLL_ROUNDS} times ${WHEEL_TURNS} turns of the wheel)`,
    sizes.map((size) => ({
      task: size,
      'open ms': median(opened[size]).toFixed(0),
      'frame ms': median(frames[size]).toFixed(0),
      '95 %': atShare(frames[size], 0.95).toFixed(0),
      worst: atShare(frames[size], 1).toFixed(0),
    })),
  )
  const [small, large] = sizes as [Size, Size]
  // The mean: every other figure of frames is a multiple of the screen's own time.
  return {
    open: median(opened[large]) / median(opened[small]),
    frame: mean(frames[large]) / mean(frames[small]),
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

async function firstScriptBytes(visits: Visits, { api }: BenchService): Promise<number> {
  await using visit = await visits.open(`${api.url}/inbox`)
  await visit.page.locator('nav a').first().waitFor()
  return (await initialScript(visit.page)).bytes
}

await buildConsole()
const service = await openService({ consoleDir: path.resolve('dist/console') })
await addTasks(service)
const visits = await openVisits(service.api)
const firstUse = await compareFirstUse(visits, service)
const { open, frame } = await compareSizes(visits, service)
const bytes = await firstScriptBytes(visits, service)
await visits.end()
await service.end()
console.log(
  `ratio ${firstUse.toFixed(2)} of a bare React page (goal ≤ 1.5); 50,000 events open in ${open.toFixed(2)} and scroll in ${frame.toFixed(2)} of 200; ${(bytes / 1000).toFixed(0)} KB of script first (goal ≤ 250)`,
)
