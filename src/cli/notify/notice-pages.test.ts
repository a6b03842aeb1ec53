import { expect, it } from 'vitest'
import type { Notice, Page } from '../../api/index.ts'
import { listNotices } from './notice-pages.ts'

/** A service with this many notices, which gives at most 200 at once. */
function serviceWith(count: number) {
  const all = Array.from({ length: count }, (_, index) => ({ id: String(index) }) as Notice)
  const asked: number[] = []
  const notices = async ({ limit = 50, cursor = '0' } = {}): Promise<Page<Notice>> => {
    asked.push(limit)
    const from = Number(cursor)
    const to = from + Math.min(limit, 200)
    return { items: all.slice(from, to), cursor: to < count ? String(to) : null }
  }
  return { notices, asked }
}

it('reads every page', async () => {
  const service = serviceWith(450)
  const { items, hasMore } = await listNotices(service, {})
  expect(items.map(({ id }) => id)).toEqual(Array.from({ length: 450 }, (_, index) => String(index)))
  expect(hasMore).toBe(false)
})

it('stops at a limit, and says that there are more', async () => {
  const service = serviceWith(450)
  const { items, hasMore } = await listNotices(service, {}, 250)
  expect([items.length, hasMore]).toEqual([250, true])
  expect(service.asked).toEqual([200, 50])
  expect(await listNotices(serviceWith(50), {}, 50)).toMatchObject({ hasMore: false })
})
