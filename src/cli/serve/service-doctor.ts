// `drawbridge doctor` for those who ask the service: once for all who ask at the same time, and not again for a moment.
import type { DoctorReport } from '../../api/index.ts'
import { TaskError } from '../../tasks/index.ts'
import type { Report } from '../doctor/index.ts'

/** Less than a request may take. */
const LONGEST_MS = 50_000
const KEPT_MS = 5_000

export interface ServiceDoctorOptions {
  /** Rejects only when the signal aborts. */
  readonly diagnose: (options: { signal: AbortSignal }) => Promise<Report>
  readonly now: () => number
  readonly longestMs?: number
}

export class ServiceDoctor {
  readonly #options: ServiceDoctorOptions
  readonly #closed = new AbortController()
  #running: Promise<DoctorReport> | null = null
  #last: DoctorReport | null = null

  constructor(options: ServiceDoctorOptions) {
    this.#options = options
  }

  /** Rejects with `unavailable` when it took too long, or the service stops. */
  async check(): Promise<DoctorReport> {
    const isFresh = this.#last !== null && this.#options.now() - this.#last.checkedAt < KEPT_MS
    if (isFresh) return this.#last!
    this.#running ??= this.#diagnose().finally(() => {
      this.#running = null
    })
    return this.#running
  }

  /** Ends the codex of a check that is under way. */
  async close(): Promise<void> {
    this.#closed.abort(new Error('the service is stopping'))
    await this.#running?.catch(() => {})
  }

  async #diagnose(): Promise<DoctorReport> {
    const { diagnose, now, longestMs = LONGEST_MS } = this.#options
    const signal = AbortSignal.any([this.#closed.signal, AbortSignal.timeout(longestMs)])
    try {
      const { checks, ...report } = await diagnose({ signal })
      this.#last = { ...report, checks: [...checks], checkedAt: now() }
      return this.#last
    } catch (error) {
      if (!signal.aborted) throw error
      const why = this.#closed.signal.aborted ? 'the service is stopping' : 'codex took too long to answer'
      throw new TaskError('unavailable', `nothing was found out: ${why}`, { cause: error })
    }
  }
}
