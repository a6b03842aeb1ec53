import { expect, it } from 'vitest'
import { Recovering } from './recovering.ts'

it('keeps only those waiting who want something of a task that is looked for', async () => {
  const recovering = new Recovering()
  recovering.begin(['one', 'two'])
  const order: string[] = []
  const waits = ['one', 'two', 'other'].map((id) => recovering.over(id).then(() => order.push(id)))
  await waits[2]
  recovering.end('two')
  await waits[1]
  expect(order).toEqual(['other', 'two'])
  expect(recovering.count(() => true)).toBe(1)
  recovering.end('one')
  await waits[0]
  await recovering.over('one')
  expect(order).toEqual(['other', 'two', 'one'])
})

it('says that nothing was done when it takes too long', async () => {
  const recovering = new Recovering({ patienceMs: 1 })
  recovering.begin(['one'])
  await expect(recovering.over('one')).rejects.toMatchObject({
    code: 'unavailable',
    retryable: true,
    details: { taskId: 'one', isDone: false },
  })
})
