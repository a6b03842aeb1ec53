// Scripts that do no harm when they run twice: while connections are cut they are sent again.
import { setTimeout as delay } from 'node:timers/promises'
import type { SshConnection } from '../connection.ts'
import { timedOut } from '../run-script.ts'
import type { SessionEnd } from '../session.ts'
import { SshHostError } from '../ssh-host-error.ts'
import { ENDS } from './scripts.ts'

export interface Sent extends SessionEnd {
  readonly stdout: Buffer
}

interface Sending {
  /** What the script reads. */
  readonly bytes?: Buffer | null
  /** Of the script alone; default: none. */
  readonly timeoutMs?: number
  /** It changes something: once it has begun, its end is worth a longer wait than an answer is. */
  readonly isAct?: boolean
  readonly signal?: AbortSignal | undefined
}

/** How long a script waits for a connection: somebody waits for an answer. */
const CONNECT_MS = 20_000
/** The same for an act that has begun. Who asked for it over HTTP waits a minute. */
const RECONNECT_MS = 40_000
const PAUSE_MS = 200

interface Once {
  readonly bytes: Buffer | null
  readonly timeoutMs: number | undefined
  readonly limit: AbortSignal
  readonly onCutAfterBegin: () => void
}

export class SentScripts {
  readonly #connection: SshConnection
  readonly #host: string

  constructor(connection: SshConnection, host: string) {
    this.#connection = connection
    this.#host = host
  }

  async send(text: string, { bytes = null, timeoutMs, isAct = false, signal }: Sending = {}): Promise<Sent> {
    let limit = this.limit(CONNECT_MS, signal)
    const onCutAfterBegin = () => {
      if (isAct) limit = this.limit(RECONNECT_MS, signal)
    }
    for (let isCut = false; ; isCut = true) {
      try {
        const end = await this.#once(text, { bytes, timeoutMs, limit, onCutAfterBegin })
        // Not all of its input arrived.
        if (end.status !== ENDS.noInput) return end
      } catch (error) {
        signal?.throwIfAborted()
        if (limit.aborted) throw this.away()
        const { code, retryable = false } = error as Partial<SshHostError>
        // One that is under way also waits for a host that cannot be reached for a moment.
        const isWaitedFor = code === 'ssh-cut' || (isCut && retryable && code !== 'ssh-timed-out')
        if (!isWaitedFor) throw error
      }
      // The end of a connection may come a moment after the end of what went through it.
      await delay(PAUSE_MS, null, { signal: limit }).catch(() => {})
    }
  }

  async #once(text: string, { bytes, timeoutMs, limit, onCutAfterBegin }: Once): Promise<Sent> {
    const session = await this.#connection.session(text, { kind: 'command', signal: limit })
    const parts: Buffer[] = []
    session.stdout.on('data', (part: Buffer) => parts.push(part))
    if (bytes) session.stdin.write(bytes)
    session.stdin.end()
    let isLate = false
    const onTime = () => {
      isLate = true
      session.drop()
    }
    const timer =
      timeoutMs === undefined ? undefined : setTimeout(onTime, this.#connection.deadline(timeoutMs))
    try {
      const end = await session.ended
      return { ...end, stdout: Buffer.concat(parts) }
    } catch (error) {
      if (session.hasBegun()) onCutAfterBegin()
      throw isLate ? timedOut(this.#host, timeoutMs!) : error
    } finally {
      clearTimeout(timer)
    }
  }

  limit(ms: number, signal?: AbortSignal | undefined): AbortSignal {
    const limit = AbortSignal.timeout(this.#connection.deadline(ms))
    return signal ? AbortSignal.any([signal, limit]) : limit
  }

  away(): Error {
    const { state } = this.#connection
    if (state.status === 'retrying' || state.status === 'broken') return state.why
    const hint = 'try again when it is back'
    const message = `${this.#host} cannot be reached at the moment`
    return new SshHostError(message, { code: 'ssh-unreachable', host: this.#host, hint, retryable: true })
  }
}
