import { expect, it } from 'vitest'
import { SharedStart } from './shared-start.ts'

function started() {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const shared = new SharedStart((signal) => {
    signal.addEventListener('abort', () => reject(signal.reason))
    return promise
  })
  return { shared, resolve }
}

it('goes on while one still waits', async () => {
  const { shared, resolve } = started()
  const leaving = new AbortController()
  const stays = shared.wait(undefined)
  const leaves = shared.wait(leaving.signal)
  leaving.abort(new Error('enough'))
  await expect(leaves).rejects.toThrow('enough')
  expect(shared.isGivenUp).toBe(false)
  resolve('here')
  expect(await stays).toBe('here')
})

it('is given up when the last has left', async () => {
  const { shared } = started()
  const leaving = new AbortController()
  const both = [shared.wait(leaving.signal), shared.wait(leaving.signal)]
  leaving.abort(new Error('enough'))
  for (const one of both) await expect(one).rejects.toThrow('enough')
  expect(shared.isGivenUp).toBe(true)
  await shared.settled()
})

it('tells all why it was cancelled', async () => {
  const { shared } = started()
  const waiting = shared.wait(undefined)
  const told = expect(waiting).rejects.toThrow('the end')
  await shared.cancel(new Error('the end'))
  await told
})
