import { expect, it } from 'vitest'
import { type Opened, Run } from './run.ts'

it('opens the thread once for all that want it meanwhile, and again when that failed', async () => {
  const run = new Run('t', () => {})
  const first = Promise.withResolvers<Opened>()
  const both = [run.openOnce(() => first.promise), run.openOnce(() => Promise.reject(new Error('a second')))]
  first.reject(new Error('the first'))
  for (const one of both) await expect(one).rejects.toThrow('the first')
  await expect(run.openOnce(() => Promise.reject(new Error('the next')))).rejects.toThrow('the next')
})
