import { expect, it } from 'vitest'
import { Permits } from './permits.ts'

it('lets so many in at a time, the others in order, and forgets who gave up', async () => {
  const permits = new Permits(1)
  const letGo = await permits.take()
  const order: string[] = []
  const stop = new AbortController()
  const given = permits.take(stop.signal)
  const wait = async (name: string) => {
    const done = await permits.take()
    order.push(name)
    done()
  }
  const others = [wait('second'), wait('third')]
  stop.abort()
  await expect(given).rejects.toMatchObject({ name: 'AbortError' })
  expect(order).toEqual([])
  letGo()
  letGo()
  await Promise.all(others)
  expect(order).toEqual(['second', 'third'])
  ;(await permits.take())()
})
