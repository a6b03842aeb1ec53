import { expect, it } from 'vitest'
import { machineFiles } from './machine-files.ts'

it('refuses a name that no file can have, without failing what is looked at together with it', async () => {
  const ask = async () => ({ status: 0, stderr: '', stdout: Buffer.from('-rw-r--r-- 1 5\0') })
  const { lstat } = machineFiles({ ask, run: () => Promise.reject(new Error('nothing is run')) })
  const [bad, good] = await Promise.allSettled([lstat('/a\0b'), lstat('/a')])
  expect(bad).toMatchObject({ status: 'rejected', reason: { code: 'file-failed' } })
  expect(good).toMatchObject({ status: 'fulfilled', value: { kind: 'file', bytes: 5 } })
})
