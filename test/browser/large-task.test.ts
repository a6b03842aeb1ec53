// A task with 50,000 events: its last page is there at once, and scrolling through it never stalls.
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { message } from '../../src/testing/index.ts'
import { consoleStage } from './support/open-console.ts'

const EVENTS = 50_000
const stage = consoleStage(() => message('fine'))
let address = ''

beforeAll(async () => {
  const { client, cwd, dataDir } = stage.service
  const { id } = await client.tasks.start({ prompt: 'small', cwd })
  const task = await client.tasks.wait(id, { timeoutMs: 30_000 })
  await stage.service.end()
  fill(path.join(dataDir, 'drawbridge.db'), { id, threadId: task.threadId!, from: task.lastSeq + 1 })
  await stage.service.restart()
  address = `/tasks/${id}`
})

it('opens at its end at once, and scrolls up through thousands without a stall', async () => {
  const page = await stage.open('/tasks')
  await page.getByRole('link', { name: 'small' }).waitFor()
  await watchFrames(page)
  const opened = await openedAfter(page)
  const opening = await frames(page)

  await watchFrames(page)
  await page.getByRole('region', { name: 'Transcript' }).hover()
  for (let turn = 0; turn < 150; turn++) {
    await page.mouse.wheel(0, -2500)
    await page.waitForTimeout(16)
  }
  const scrolling = await frames(page)
  console.log(
    `50,000 events: shown after ${opened.toFixed(0)} ms; worst frame ${opening.worst.toFixed(0)} ms while opening; ` +
      `scrolling ${scrolling.count} frames, median ${scrolling.median.toFixed(0)} ms, 95 % ${scrolling.p95.toFixed(0)} ms, worst ${scrolling.worst.toFixed(0)} ms`,
  )
  expect(opened).toBeLessThan(3000)
  expect(scrolling.p95).toBeLessThan(100)
  await page.getByRole('button', { name: 'Jump to live' }).click()
  await page
    .getByText(`message ${EVENTS - 1} `)
    .first()
    .waitFor()
})

it('stays where the reader is while older pages come', async () => {
  const page = await stage.open(address)
  await page
    .getByText(`message ${EVENTS - 1} `)
    .first()
    .waitFor()
  const region = page.getByRole('region', { name: 'Transcript' })
  await region.hover()
  const seen: number[] = []
  for (let turn = 0; turn < 140; turn++) {
    await page.mouse.wheel(0, -1500)
    await page.waitForTimeout(30)
    const first = /message (\d+) /.exec((await region.textContent()) ?? '')
    if (first) seen.push(Number(first[1]))
  }
  const jumps = seen.slice(1).map((number, index) => seen[index]! - number)
  expect(seen.at(-1)).toBeLessThan(EVENTS - 1500)
  // Upwards, without ever being thrown back or far ahead.
  expect(Math.min(...jumps)).toBeGreaterThanOrEqual(-5)
  expect(Math.max(...jumps)).toBeLessThan(120)
})

function fill(file: string, { id, threadId, from }: { id: string; threadId: string; from: number }): void {
  const database = new DatabaseSync(file)
  const insert = database.prepare(
    'insert into events (task_id, seq, at, method, turn_id, item_id, is_delta, frame) values (?, ?, ?, ?, ?, ?, 0, ?)',
  )
  database.exec('begin')
  for (let index = 0; index < EVENTS; index++) {
    const turnId = `turn-${Math.floor(index / 40)}`
    const [method, params] = eventOf(index, { threadId, turnId })
    insert.run(
      id,
      from + index,
      Date.now(),
      method,
      turnId,
      `item-${index}`,
      JSON.stringify({ method, params }),
    )
  }
  database.prepare('update tasks set last_seq = ? where id = ?').run(from + EVENTS, id)
  database.exec('commit')
  database.close()
}

function eventOf(index: number, at: { threadId: string; turnId: string }): [string, object] {
  if (index % 40 === 38)
    return [
      'turn/completed',
      { threadId: at.threadId, turn: { id: at.turnId, status: 'completed', durationMs: 1200 } },
    ]
  const id = `item-${index}`
  if (index % 3 === 0 && index < EVENTS - 1)
    return [
      'item/completed',
      {
        ...at,
        item: {
          type: 'commandExecution',
          id,
          command: `ls ${index}`,
          aggregatedOutput: 'a\nb\n',
          exitCode: 0,
          durationMs: 12,
          status: 'completed',
        },
      },
    ]
  const text = `message ${index} says **something**${' and more'.repeat(index % 60)}`
  return ['item/completed', { ...at, item: { type: 'agentMessage', id, text } }]
}

/** Milliseconds from the press to the last message, as the page itself counts them. */
async function openedAfter(page: Page): Promise<number> {
  return (await page.evaluate(`new Promise((resolve) => {
    const startedAt = performance.now()
    const isShown = () => document.querySelector('section[aria-label="Transcript"]')?.textContent.includes('message ${EVENTS - 1} ')
    new MutationObserver((_, observer) => {
      if (!isShown()) return
      observer.disconnect()
      resolve(performance.now() - startedAt)
    }).observe(document.body, { childList: true, subtree: true })
    ;[...document.querySelectorAll('a')].find((link) => link.textContent === 'small').click()
  })`)) as number
}

async function watchFrames(page: Page): Promise<void> {
  await page.evaluate(`(() => {
    const taken = (window.taken = [])
    let last = performance.now()
    const next = (now) => { if (window.taken !== taken) return; taken.push(now - last); last = now; requestAnimationFrame(next) }
    requestAnimationFrame(next)
  })()`)
}

async function frames(page: Page) {
  const taken = ((await page.evaluate('window.taken')) as number[]).sort((a, b) => a - b)
  const at = (share: number) => taken[Math.min(taken.length - 1, Math.floor(taken.length * share))]!
  return { count: taken.length, median: at(0.5), p95: at(0.95), worst: at(1) }
}
