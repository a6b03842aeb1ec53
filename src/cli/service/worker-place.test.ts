import { cp, mkdir, rename } from 'node:fs/promises'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { makeWorkspace } from '../../testing/index.ts'
import { workerPlaceOf } from './worker-place.ts'

it('is that of a folder, whatever it is called, and not that of its copy', async () => {
  const workspace = await makeWorkspace()
  onTestFinished(() => workspace.remove())
  const [folder, copy, moved] = ['folder', 'copy', 'moved'].map((name) => path.join(workspace.path, name))
  await mkdir(folder!)
  const place = workerPlaceOf(folder!)
  expect(place).toMatch(/^[0-9a-f]{16}$/)
  expect(workerPlaceOf(folder!)).toBe(place)
  await cp(folder!, copy!, { recursive: true })
  expect(workerPlaceOf(copy!)).not.toBe(place)
  await rename(folder!, moved!)
  expect(workerPlaceOf(moved!)).toBe(place)
})
