import type { ApiLimits } from '../api-options.ts'
import type { Credential } from '../auth/credential.ts'
import { DoorError } from '../door-error.ts'

interface Open {
  readonly credential: Credential
  readonly close: (why: string) => void
}

/** Everything that stays open on purpose: streams and long polls, counted by credential and ended with it. */
export class OpenStreams {
  readonly #limits: Pick<ApiLimits, 'streamsPerCredential' | 'revokedMs'>
  readonly #open = new Set<Open>()
  #timer: NodeJS.Timeout | null = null
  #isClosing = false

  constructor(limits: Pick<ApiLimits, 'streamsPerCredential' | 'revokedMs'>) {
    this.#limits = limits
  }

  get count(): number {
    return this.#open.size
  }

  /** Takes a place; throws when there is none. Returns how to give it back. `close` may be called more than once. */
  enter(credential: Credential, close: (why: string) => void): () => void {
    if (this.#isClosing) throw new DoorError('unavailable', 'the service is stopping')
    const { streamsPerCredential, revokedMs } = this.#limits
    if (this.#countOf(credential.id) >= streamsPerCredential)
      throw new DoorError('too-many-streams', `at most ${streamsPerCredential} streams at once`, {
        headers: { 'retry-after': '5' },
      })
    const open = { credential, close }
    this.#open.add(open)
    // A new token is written by another process; nobody tells us.
    this.#timer ??= setInterval(() => this.closeRevoked(), revokedMs).unref()
    return () => this.#leave(open)
  }

  /** Ends those of whoever would no longer be let in. */
  closeRevoked(): void {
    for (const { credential, close } of this.#open) if (!credential.isValid()) close('no longer let in')
  }

  closeAll(why: string): void {
    this.#isClosing = true
    for (const { close } of this.#open) close(why)
  }

  #leave(open: Open): void {
    this.#open.delete(open)
    if (this.#open.size > 0 || this.#timer === null) return
    clearInterval(this.#timer)
    this.#timer = null
  }

  #countOf(credentialId: string): number {
    let count = 0
    for (const { credential } of this.#open) if (credential.id === credentialId) count++
    return count
  }
}
