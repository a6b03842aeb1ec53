import { readdirSync, readlinkSync } from 'node:fs'
import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { makeScratchStore } from './fixtures/scratch-store.ts'
import { keptFilesOf } from './kept-files.ts'

async function* of(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

async function stage() {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'kept-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const store = await makeScratchStore()
  onTestFinished(() => store.remove())
  const { db } = await store.open()
  return { folder, files: keptFilesOf(db, folder) }
}

/** How many files of the folder this process has open. */
function openIn(folder: string): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder)
    } catch {
      return false
    }
  }).length
}

const key = { taskId: 'task', id: 'one' }

it('holds no file open that nobody reads, or that is read no further', async () => {
  const { files, folder } = await stage()
  await files.put(key, of('x'.repeat(1_000_000)))
  const unread = await files.open(key)
  expect(openIn(folder)).toBe(0)
  await unread![Symbol.asyncIterator]().return?.()
  for await (const _ of (await files.open(key))!) break
  expect(openIn(folder)).toBe(0)
  expect(await files.open({ ...key, id: 'none' })).toBeNull()
})

it('keeps nothing when the disk is full, and says so', async () => {
  const { files, folder } = await stage()
  await mkdir(path.join(folder, 'task'))
  await symlink('/dev/full', path.join(folder, 'task/one.part'))
  await expect(files.put(key, of('x'))).rejects.toMatchObject({ code: 'disk-full' })
  expect(readdirSync(path.join(folder, 'task'))).toEqual([])
})
