// Codex's own terminal on a task: what it needs to reach the thread, and an app-server that stays while it is there.
import { type EventLog, type StoredTask, taskRow } from '../../store/index.ts'
import type { Links } from '../link/index.ts'
import { TaskError, type Terminal } from '../model/index.ts'
import type { Runs } from '../turns/index.ts'

export interface TerminalsParts {
  readonly log: EventLog
  readonly links: Pick<Links, 'byId'>
  readonly runs: Pick<Runs, 'openThread' | 'meet'>
  /** Of this machine. */
  readonly machine: string
  /** Throws, and says where to go, for a task whose thread is on another machine. */
  readonly refuseElsewhere: (row: StoredTask) => Promise<void>
}

/** A terminal says that it is there more often than this. */
const KEPT_MS = 60_000

export class Terminals {
  readonly #parts: TerminalsParts
  readonly #kept = new Map<string, { readonly release: () => void; readonly timer: NodeJS.Timeout }>()

  constructor(parts: TerminalsParts) {
    this.#parts = parts
  }

  async attach(taskId: string): Promise<Terminal> {
    const row = await this.#row(taskId)
    refuseUnfit(row)
    const { link, codex, thread } = await this.#parts.runs.openThread(row)
    const { socket = null } = link.appServer
    if (!socket) throw noSocket(codex.codexVersion)
    this.#keep(taskId, link.appServer)
    return {
      ...{ taskId, threadId: thread.id, cwd: row.cwd, machine: this.#parts.machine },
      ...{ socketPath: socket.path, codexPath: socket.codexPath, codexVersion: socket.codexVersion },
      codexHome: codex.codexHome,
    }
  }

  /** After a restart of the service it is not heard what happens in the thread until it is opened here again. */
  async keep(taskId: string): Promise<void> {
    const { app_server_id } = await this.#row(taskId)
    const link = this.#parts.links.byId(app_server_id)
    if (!link) return
    this.#keep(taskId, link.appServer)
    this.#parts.runs.meet(taskId)
  }

  stop(): void {
    for (const { timer, release } of this.#kept.values()) {
      clearTimeout(timer)
      release()
    }
    this.#kept.clear()
  }

  async #row(taskId: string): Promise<StoredTask> {
    const row = await this.#parts.log.change(({ db }) => taskRow(db, taskId))
    if (!row) throw new TaskError('task-not-found', `there is no task ${taskId}`)
    await this.#parts.refuseElsewhere(row)
    return row
  }

  #keep(taskId: string, appServer: { hold(): () => void }): void {
    const release = appServer.hold()
    const before = this.#kept.get(taskId)
    clearTimeout(before?.timer)
    before?.release()
    const timer = setTimeout(() => {
      this.#kept.delete(taskId)
      release()
    }, KEPT_MS).unref()
    this.#kept.set(taskId, { release, timer })
  }
}

function refuseUnfit({ archived_at, thread_id, fork_of, host, status, reason }: StoredTask): void {
  // codex's terminal cannot name the machine, and its turns could run on this one.
  if (host !== null)
    throw new TaskError(
      'not-supported',
      `the task runs on host ${host}: codex's own terminal cannot go there`,
    )
  if (archived_at !== null)
    throw new TaskError('not-resumable', 'the task is archived: take it out of the archive first')
  if (thread_id === null && fork_of === null)
    throw new TaskError(
      'not-resumable',
      `the task has no thread yet (${status}: ${reason}): attach when it has begun`,
    )
}

function noSocket(version: string | null): TaskError {
  return new TaskError(
    'not-supported',
    `the codex of this task (${version ?? 'of unknown version'}) listens on no socket, which a terminal needs: use codex 0.130 or newer, on Linux or macOS, and no \`transport: stdio\` in the settings`,
  )
}
