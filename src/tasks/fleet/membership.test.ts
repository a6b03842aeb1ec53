import { describe, expect, it, onTestFinished } from 'vitest'
import { freshDatabase } from '../../../test/support/postgres/fresh-database.ts'
import { openShared } from '../../../test/support/test-store.ts'
import { Membership } from './membership.ts'

const LEASE = { leaseMs: 900 }

async function openStage() {
  const shared = await openShared(await freshDatabase('migrated'), 'a', LEASE)
  onTestFinished(() => shared.close())
  const { db, fleet } = shared
  let lost = 0
  const startIn = (place: string) => {
    const membership = new Membership({
      ...{ db, fleet: { ...fleet, place }, capacity: 1, now: Date.now, working: () => 0 },
      onLost: () => lost++,
      onBeatFailed: (error) => {
        throw error
      },
    })
    onTestFinished(() => membership.stop())
    return membership
  }
  const bootNow = async () =>
    (await db.selectFrom('workers').select('boot').where('id', '=', 'a').executeTakeFirstOrThrow()).boot
  const beats = async () =>
    Number((await db.selectFrom('workers').select('beat_at').executeTakeFirst())?.beat_at)
  return { startIn, bootNow, beats, lost: () => lost }
}

describe('a start of a worker id', () => {
  it('is refused while another place beats under it, and the other goes on', async () => {
    const { startIn, bootNow, beats, lost } = await openStage()
    const first = startIn('one')
    await first.join()
    const refused = startIn('two').join()
    await expect(refused).rejects.toMatchObject({
      code: 'worker-id-in-use',
      message: expect.stringContaining('delete the file worker-id in this data folder'),
      details: { workerId: 'a', machine: 'test' },
    })
    expect(await bootNow()).toBe(first.start.boot)
    const at = await beats()
    await expect.poll(beats).toBeGreaterThan(at)
    expect(lost()).toBe(0)
  })

  it('takes over from another place that is silent, which is refused when it comes back', async () => {
    const { startIn, bootNow } = await openStage()
    const first = startIn('one')
    await first.join()
    first.stop()
    const second = startIn('two')
    await second.join()
    expect(await bootNow()).toBe(second.start.boot)
    await expect(startIn('one').join()).rejects.toMatchObject({ code: 'worker-id-in-use' })
    expect(await bootNow()).toBe(second.start.boot)
  })

  it('of two that start at once in two places is one', async () => {
    const { startIn } = await openStage()
    const joined = await Promise.allSettled(['one', 'two', 'three'].map((place) => startIn(place).join()))
    expect(joined.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected'])
  })

  it('does not wait for the one before it in the same place, nor for one that was stopped', async () => {
    const { startIn, bootNow } = await openStage()
    const first = startIn('one')
    await first.join()
    const again = startIn('one')
    await again.join()
    expect(await bootNow()).toBe(again.start.boot)
    await again.leave()
    const moved = startIn('two')
    await moved.join()
    expect(await bootNow()).toBe(moved.start.boot)
  })
})
