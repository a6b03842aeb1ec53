// The tasks of a service that has a demo: each demo task begins in a sample that nobody has touched.
import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import {
  type Caller,
  DurableTasks,
  type DurableTasksOptions,
  type StartTask,
  type Task,
} from '../../tasks/index.ts'
import { makeSample } from '../demo/index.ts'

/** A few, for tasks that go on later. */
const MAX_SAMPLES = 20

interface Demo {
  readonly offer: { readonly codexHome: string; readonly cwd: string }
  readonly env: NodeJS.ProcessEnv
}

export class DemoTasks extends DurableTasks {
  readonly #demo: Demo
  /** The demo's model and home are this service's. */
  readonly #on: string | undefined

  constructor(options: DurableTasksOptions, demo: Demo) {
    super(options)
    this.#demo = demo
    this.#on = options.fleet?.id
  }

  override async start(request: StartTask, caller: Caller): Promise<Task> {
    const { offer, env } = this.#demo
    const isDemo =
      request.codexHome === offer.codexHome && path.resolve(request.cwd) === path.resolve(offer.cwd)
    if (!isDemo) return super.start(request, caller)
    // A worker claims a task when its machine has the home. What is in it is written when codex is started.
    await mkdir(offer.codexHome, { recursive: true, mode: 0o700 })
    const cwd = sampleFolder(offer.cwd, request.idempotencyKey)
    if (!existsSync(cwd)) {
      await removeOld(offer.cwd)
      await makeSample(cwd, env)
    }
    return super.start({ ...request, cwd, on: this.#on }, caller)
  }
}

/** The same for the same key: a request that is repeated is the same request. */
function sampleFolder(parent: string, key: string | undefined): string {
  const name = createHash('sha256')
    .update(key ?? randomUUID())
    .digest('hex')
    .slice(0, 6)
  return path.join(parent, name, 'toll')
}

async function removeOld(parent: string): Promise<void> {
  const names = await readdir(parent).catch(() => [])
  const aged = await Promise.all(
    names.map(async (name) => {
      const folder = path.join(parent, name)
      return { folder, at: (await stat(folder).catch(() => null))?.mtimeMs ?? 0 }
    }),
  )
  const old = aged.sort((a, b) => b.at - a.at).slice(MAX_SAMPLES - 1)
  await Promise.all(old.map(({ folder }) => rm(folder, { recursive: true, force: true })))
}
