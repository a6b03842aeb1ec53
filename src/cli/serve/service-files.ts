// The files of tasks in a service. The room is loaded when the first of them is asked for, or is there from before.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { FilesDoor } from '../../api/index.ts'
import type { Db } from '../../store/index.ts'
import type { TaskFiles } from '../../workspaces/index.ts'
import { defaultCodexHome } from '../trust/index.ts'

/** In a home of codex. */
const LOGINS = ['auth.json', '.credentials.json', 'config.toml']

interface Options {
  readonly db: Db
  readonly dataDir: string
  /** null: beside the data folder, which commands in untrusted folders cannot read. */
  readonly folder: string | null
  readonly limits: FilesDoor['limits']
  /** Which store this is, for people. */
  readonly store: string
  readonly now: () => number
  readonly workerId: string | null
  readonly env: NodeJS.ProcessEnv
  /** What commands in untrusted folders cannot read. */
  readonly protect: readonly string[]
}

export class ServiceFiles implements FilesDoor {
  readonly #options: Options
  readonly #folder: string
  #room: Promise<TaskFiles> | null = null

  constructor(options: Options) {
    this.#options = options
    this.#folder = folderOf(options)
  }

  get limits(): FilesDoor['limits'] {
    return this.#options.limits
  }

  /** Removes the files of tasks that are gone, and at the start what was on its way in when an earlier service ended. */
  async sweep({ isStart }: { readonly isStart: boolean }): Promise<void> {
    if (existsSync(this.#folder)) await (await this.#load()).sweep({ isStart })
  }

  forget: FilesDoor['forget'] = async (taskId) => {
    if (existsSync(this.#folder)) await (await this.#load()).forget(taskId)
  }

  takeBack: FilesDoor['takeBack'] = async (place, record) => (await this.#load()).takeBack(place, record)
  list: FilesDoor['list'] = async (place, asked) => (await this.#load()).list(place, asked)
  open: FilesDoor['open'] = async (place, asked) => (await this.#load()).open(place, asked)
  receive: FilesDoor['receive'] = async (place, files, record) =>
    (await this.#load()).receive(place, files, record)

  #load(): Promise<TaskFiles> {
    const { db, store, now, workerId, limits, dataDir, env, protect } = this.#options
    const protectedFor = (codexHome: string | null) => {
      const homes = [defaultCodexHome(env), ...(codexHome === null ? [] : [codexHome])]
      const logins = homes.flatMap((home) => LOGINS.map((name) => path.join(home, name)))
      return [path.resolve(dataDir), ...protect, ...logins]
    }
    this.#room ??= import('../../workspaces/index.ts').then(
      ({ TaskFiles }) =>
        new TaskFiles({ db, store, now, folder: this.#folder, workerId, limits, protectedFor }),
    )
    return this.#room
  }
}

/** Several services may be told of the same folder: each has one of its own in it. */
function folderOf({ folder, dataDir }: Pick<Options, 'folder' | 'dataDir'>): string {
  const data = path.resolve(dataDir)
  if (folder === null) return `${data}-uploads`
  const mark = createHash('sha256').update(data).digest('hex').slice(0, 8)
  return path.join(folder, `${path.basename(data)}-${mark}`)
}
