import { expect, it, onTestFinished } from 'vitest'
import { startHolder } from '../fixtures/holder.ts'
import { countOf } from '../fixtures/sample-rows.ts'
import { makeScratchStore } from '../fixtures/scratch-store.ts'

it('refuses a second service and says who the first one is', async () => {
  const store = await scratch()
  const holder = await startHolder(store.dataDir)
  onTestFinished(() => holder.kill())
  await expect(store.open()).rejects.toMatchObject({
    code: 'data-folder-in-use',
    message: expect.stringMatching(
      new RegExp(`in use by process ${holder.pid}, since 20.*, at http://127.0.0.1:4711.*kill ${holder.pid}`),
    ),
    details: { holder: { pid: holder.pid, url: 'http://127.0.0.1:4711' } },
  })
})

it('is free again at once when its holder is killed', async () => {
  const store = await scratch()
  const holder = await startHolder(store.dataDir, 'write')
  await holder.said(50)
  await holder.kill()
  const { reader, repair } = await store.open()
  expect(repair).toBeNull()
  const told = Number(holder.lines.at(-1))
  expect(await countOf(reader, 'events')).toBeGreaterThanOrEqual(told)
})

it('holds within one process too', async () => {
  const store = await scratch()
  const { close } = await store.open()
  await expect(store.open()).rejects.toMatchObject({ code: 'data-folder-in-use' })
  await expect(store.open()).rejects.toMatchObject({ code: 'data-folder-in-use' })
  await close()
  await store.open()
})

it('is let go of when opening fails', async () => {
  const store = await scratch()
  const failing = { '001-bad': { up: () => Promise.reject(new Error('no')) } }
  await expect(store.open({ migrations: failing })).rejects.toMatchObject({ code: 'migration-failed' })
  await store.open()
})

async function scratch() {
  const store = await makeScratchStore()
  onTestFinished(() => store.remove())
  return store
}
