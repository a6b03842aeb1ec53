import type { ApiLimits } from '../api-options.ts'
import type { Credential } from '../auth/credential.ts'
import { DoorError } from '../door-error.ts'

/** A stream of events, or a long poll. */
type Kind = 'stream' | 'wait'

interface Open {
  readonly credential: Credential
  readonly kind: Kind
  readonly close: (why: string) => void
}

type StreamLimits = Pick<ApiLimits, 'streamsPerCaller' | 'waitsPerCaller' | 'openPerCredential' | 'revokedMs'>

const END_OF = { revoked: 'no longer let in', unknown: 'the database cannot be reached' } as const

/** Everything that stays open on purpose: streams and long polls, counted by caller and ended with its credential. */
export class OpenStreams {
  readonly #limits: StreamLimits
  readonly #open = new Set<Open>()
  #timer: NodeJS.Timeout | null = null
  #isClosing = false
  #isChecking = false

  constructor(limits: StreamLimits) {
    this.#limits = limits
  }

  get count(): number {
    return this.#open.size
  }

  /** Takes a place; throws when there is none. Returns how to give it back. `close` may be called more than once. */
  enter(credential: Credential, kind: Kind, close: (why: string) => void): () => void {
    if (this.#isClosing) throw new DoorError('unavailable', 'the service is stopping')
    this.#refuseTooMany(credential, kind)
    const open = { credential, kind, close }
    this.#open.add(open)
    // Another process writes a new token, another door revokes a login; nobody tells us.
    this.#timer ??= setInterval(() => void this.#checkAgain(), this.#limits.revokedMs).unref()
    return () => this.#leave(open)
  }

  /** Ends those of credentials that would no longer be let in. */
  async closeRevoked(): Promise<void> {
    const checks = [...this.#open].map(async ({ credential, close }) => {
      const standing = await credential.check()
      if (standing !== 'valid') close(END_OF[standing])
    })
    await Promise.all(checks)
  }

  closeAll(why: string): void {
    this.#isClosing = true
    for (const { close } of this.#open) close(why)
  }

  async #checkAgain(): Promise<void> {
    if (this.#isChecking) return
    this.#isChecking = true
    await this.closeRevoked().finally(() => {
      this.#isChecking = false
    })
  }

  #leave(open: Open): void {
    this.#open.delete(open)
    if (this.#open.size > 0 || this.#timer === null) return
    clearInterval(this.#timer)
    this.#timer = null
  }

  #refuseTooMany({ id, caller }: Credential, kind: Kind): void {
    const { streamsPerCaller, waitsPerCaller, openPerCredential } = this.#limits
    const ofAll = [...this.#open].filter((open) => open.kind === kind && open.credential.id === id)
    const own = ofAll.filter(({ credential }) => credential.caller === caller).length
    const most = kind === 'stream' ? streamsPerCaller : waitsPerCaller
    const noun = kind === 'stream' ? 'streams' : 'requests that wait'
    if (own < most && ofAll.length < openPerCredential) return
    const limit = own < most ? `${openPerCredential} ${noun} of all callers` : `${most} ${noun}`
    throw new DoorError('too-many-streams', `at most ${limit} at once`, { headers: { 'retry-after': '5' } })
  }
}
