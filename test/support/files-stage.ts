// The files of one task: its folder, a folder outside, and one of the service, with a store behind them.
import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { taskRow } from '../../src/store/fixtures/sample-rows.ts'
import { makeScratchStore } from '../../src/store/fixtures/scratch-store.ts'
import { insertTask } from '../../src/store/index.ts'
import type { FilePlace, Task } from '../../src/tasks/index.ts'
import { makeWorkspace } from '../../src/testing/index.ts'
import { TaskFiles, type TaskFilesOptions } from '../../src/workspaces/files/task-files.ts'

export const LIMITS = { maxFileBytes: 10_000, maxFiles: 3, maxTaskBytes: 25_000, types: null }

export async function filesStage(options: Partial<TaskFilesOptions> = {}) {
  const scratch = await makeWorkspace()
  onTestFinished(() => scratch.remove())
  const store = await makeScratchStore()
  onTestFinished(() => store.remove())
  const { db } = await store.open()
  const at = (...parts: string[]) => path.join(scratch.path, ...parts)
  for (const folder of ['repo/src', 'outside', 'data']) mkdirSync(at(folder), { recursive: true })
  writeFileSync(at('repo/a.txt'), 'inside')
  writeFileSync(at('repo/src/b.txt'), 'deeper')
  writeFileSync(at('outside/secret'), 'SECRET')
  writeFileSync(at('data/token'), 'SECRET')
  const id = randomUUID()
  await insertTask(db, taskRow(id, { cwd: at('repo') }), [])
  const task = {
    id,
    cwd: at('repo'),
    host: null,
    worker: null,
    workspace: null,
    codexHome: null,
    policy: {},
  } as Task
  const complete: TaskFilesOptions = {
    ...{ db, store: 'sqlite one', now: Date.now },
    ...{ folder: at('uploads'), workerId: null, limits: LIMITS, protectedFor: () => [at('data')] },
    ...options,
  }
  const files = new TaskFiles(complete)
  const sweeper = (more: Partial<TaskFilesOptions>) => new TaskFiles({ ...complete, ...more })
  const place: FilePlace = { task, within: null }
  const read = async (relative: string, from: FilePlace = place) => {
    const file = await files.open(from, { in: 'folder', path: relative })
    const chunks = []
    for await (const chunk of file.read({ from: 0, to: file.bytes - 1 })) chunks.push(chunk)
    return Buffer.concat(chunks).toString()
  }
  const codeOf = (relative: string, from?: FilePlace) =>
    read(relative, from).catch((error) => error.code as string)
  return { at, db, id, task, files, sweeper, place, read, codeOf }
}
