// A task with 50,000 events: its end is there at once, and only what is looked at is drawn.
import path from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { message } from '../../src/testing/index.ts'
import { fillTask, lastMessage } from './support/fill-task.ts'
import { framesText, watchFrames } from './support/frames.ts'
import { consoleStage } from './support/open-console.ts'
import { scrollTranscript } from './support/transcript.ts'

const EVENTS = 50_000
/** As many come at a time. */
const PAGE = 1000
/** A screen of rows, and some above and below. */
const MAX_ROWS = 60
const stage = consoleStage(() => message('fine'))
let address = ''

beforeAll(async () => {
  const { client, cwd, dataDir } = stage.service
  const { id } = await client.tasks.start({ prompt: 'small', cwd })
  const { threadId, lastSeq } = await client.tasks.wait(id, { timeoutMs: 60_000 })
  await stage.service.end()
  const filled = { id, threadId: threadId!, fromSeq: lastSeq + 1, events: EVENTS }
  fillTask(path.join(dataDir, 'drawbridge.db'), filled)
  await stage.service.restart()
  address = `/tasks/${id}`
})

const isAtItsEnd = (page: Page) => page.getByText(lastMessage(EVENTS)).waitFor()

it('opens at its end', async () => {
  const page = await stage.open('/tasks')
  await page.getByRole('link', { name: 'small' }).click()
  await isAtItsEnd(page)
  const { first, rows } = await scrollTranscript(page, 0)
  expect(first).toBeGreaterThan(EVENTS - MAX_ROWS)
  expect(rows).toBeLessThan(MAX_ROWS)
})

it('stays where the reader is while older pages come, and leads back to the end', async () => {
  const page = await stage.open(address)
  await isAtItsEnd(page)
  await page.getByRole('region', { name: 'Transcript' }).hover()
  const frames = await watchFrames(page)
  const seen = [EVENTS - 1]
  while (seen.at(-1)! > EVENTS - 1.2 * PAGE) {
    const { first, rows } = await scrollTranscript(page, -1500)
    expect(rows).toBeLessThan(MAX_ROWS)
    if (first !== null) seen.push(first)
  }
  console.log(`50,000 events: ${framesText(await frames())}`)
  const jumps = seen.slice(1).map((number, index) => seen[index]! - number)
  // Upwards, without ever being thrown back or far ahead.
  expect(Math.min(...jumps)).toBeGreaterThanOrEqual(-5)
  expect(Math.max(...jumps)).toBeLessThan(120)
  await page.getByRole('button', { name: 'Jump to live' }).click()
  await isAtItsEnd(page)
  await page.getByRole('button', { name: 'Jump to live' }).waitFor({ state: 'detached' })
})

it('is scrolled through faster than anybody reads', async () => {
  const page = await stage.open(address)
  await isAtItsEnd(page)
  await page.getByRole('region', { name: 'Transcript' }).hover()
  const frames = await watchFrames(page)
  for (let first = EVENTS; first > EVENTS - 1.5 * PAGE; ) first = (await flick(page)) ?? first
  console.log(`50,000 events, flicked through: ${framesText(await frames())}`)
})

/** Turns of the wheel without a look between them. */
async function flick(page: Page): Promise<number | null> {
  for (let turn = 0; turn < 9; turn++) await page.mouse.wheel(0, -2500)
  const { first, rows } = await scrollTranscript(page, -2500)
  expect(rows).toBeLessThan(MAX_ROWS)
  return first
}
