import { expect, it } from 'vitest'
import type { Host } from '../../api/index.ts'
import { whileUploading } from './upload.ts'

/** A service that has sent so many megabytes of 100, look by look; null: nothing is on its way. */
function looking(...sent: readonly (number | null)[]) {
  let look = 0
  const over = Promise.withResolvers<void>()
  const hosts = async () => {
    const now = sent[look++] ?? null
    if (look >= sent.length) over.resolve()
    const upload = now === null ? null : { sentBytes: now * 1e6, totalBytes: 100e6 }
    return [{ id: 'box', ssh: { upload } }] as unknown as Host[]
  }
  const told: string[] = []
  const onUpload = (text: string) => void told.push(text)
  return { told, over: over.promise, options: { client: { hosts }, name: 'box', lookMs: 1, onUpload } }
}

it('tells of every tenth of an upload, once', async () => {
  const { told, over, options } = looking(null, 3, 4, 11, 12, 100, null, null)
  expect(await whileUploading(() => over.then(() => 'done'), options)).toBe('done')
  expect(told).toEqual([3, 11, 100].map((sent) => `codex is on its way: ${sent} of 100 MB`))
})

it('asks again after an upload that outlasted the connection to the service', async () => {
  const { over, options } = looking(50, 60, 70, 90, null)
  const answers = [() => Promise.reject(new Error('cut')), () => over.then(() => 'done')]
  expect(await whileUploading(() => answers.shift()!(), options)).toBe('done')
  const { options: idle } = looking(null)
  await expect(whileUploading(() => Promise.reject(new Error('cut')), idle)).rejects.toThrow('cut')
})
