// MCP servers that died in the middle of a task. Codex never starts one again by itself: every later call would fail.
import { type Codex, redact } from '../../codex/index.ts'

/** An item of codex's, as far as it is looked at. */
interface ToolItem {
  readonly type?: string
  readonly status?: string
  readonly server?: string
  readonly error?: { readonly message?: string } | null
}

export interface DeadServersParts {
  readonly now: () => number
  /** An event in the task's log. */
  readonly tell: (taskId: string, event: { type: string; message: string }) => void
}

/** So often within so long; then it is left alone until the oldest is that long ago. */
const MAX_RELOADS = 3
const WITHIN_MS = 10 * 60_000
/** Tasks that are remembered for that. */
const MAX_REMEMBERED = 1_000

export class DeadServers {
  readonly #parts: DeadServersParts
  /** When each was reloaded, by task and server. */
  readonly #reloads = new Map<string, number[]>()
  /** Those that are being reloaded now, by task and server. */
  readonly #running = new Map<string, Promise<void>>()

  constructor(parts: DeadServersParts) {
    this.#parts = parts
  }

  /** Of a call that ended. Codex gives no code for it, only these words (0.125 to 0.166). */
  static nameIn(item: ToolItem | undefined): string | null {
    if (item?.type !== 'mcpToolCall' || item.status !== 'failed') return null
    return /\bTransport closed\b/.test(item.error?.message ?? '') ? (item.server ?? null) : null
  }

  /** Asks codex to start what has died, once for all calls that failed with it. */
  found(taskId: string, server: string, codex: Codex): Promise<void> {
    const key = `${taskId} ${server}`
    const running =
      this.#running.get(key) ?? this.#reload(taskId, server, codex).finally(() => this.#running.delete(key))
    this.#running.set(key, running)
    return running
  }

  /** Codex leaves alone what lives, also of other threads. */
  async #reload(taskId: string, server: string, codex: Codex): Promise<void> {
    const { now, tell } = this.#parts
    const name = redact(server)
    const times = this.#timesOf(`${taskId} ${server}`)
    if (times.length >= MAX_RELOADS) {
      const message = `the MCP server ${name} has died again, and was started ${MAX_RELOADS} times in ${WITHIN_MS / 60_000} minutes: it is left as it is`
      return tell(taskId, { type: 'mcp-server-dead', message })
    }
    times.push(now())
    tell(taskId, { type: 'mcp-server-died', message: `the MCP server ${name} has died: it is started again` })
    try {
      await codex.request('config/mcpServer/reload', undefined as never)
      tell(taskId, { type: 'mcp-server-reloaded', message: `the MCP server ${name} was started again` })
    } catch (error) {
      const why = redact(error instanceof Error ? error.message : String(error))
      tell(taskId, {
        type: 'mcp-server-dead',
        message: `the MCP server ${name} could not be started again: ${why}`,
      })
    }
  }

  #timesOf(key: string): number[] {
    const since = this.#parts.now() - WITHIN_MS
    const times = (this.#reloads.get(key) ?? []).filter((at) => at > since)
    // Re-insert: Map order is least recently used first.
    this.#reloads.delete(key)
    this.#reloads.set(key, times)
    if (this.#reloads.size > MAX_REMEMBERED) this.#reloads.delete(this.#reloads.keys().next().value!)
    return times
  }
}
