import { expect, it } from 'vitest'
import { awaitFirstStart } from './first-start.ts'

it('lets the next one try when the first fails, and everyone pass when one went well', async () => {
  const home = `home-${performance.now()}`
  const order: string[] = []
  const first = await awaitFirstStart(home, {})
  const others = ['second', 'third', 'fourth'].map(async (name) => {
    const report = await awaitFirstStart(home, {})
    order.push(name)
    return report
  })
  expect(order).toEqual([])
  first(false)
  first(true)
  const second = await others[0]!
  expect(order).toEqual(['second'])
  second(true)
  await Promise.all(others)
  expect(order).toEqual(['second', 'third', 'fourth'])
  await awaitFirstStart(home, {})
})

it('keeps homes apart', async () => {
  await awaitFirstStart(`one-${performance.now()}`, {})
  await awaitFirstStart(`two-${performance.now()}`, {})
})
