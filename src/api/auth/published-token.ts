import { randomUUID } from 'node:crypto'
import type { SharedStore } from './credential-rows.ts'
import type { ReachDatabase } from './reach-database.ts'
import type { CurrentToken } from './token.ts'

/** How soon a token that was rotated by another process is noticed. */
const LOOK_MS = 250
/** How often the other doors are told that the token is still in use. */
const REPEAT_MS = 60_000

export interface PublishedTokenOptions extends SharedStore {
  readonly token: CurrentToken
  readonly database: ReachDatabase
  readonly now: () => number
  /** The token is another: what is known of logins may no longer be true. */
  readonly onChange: () => void
}

interface Published {
  readonly hash: string | null
  readonly id: string | null
  readonly at: number
}

/** Keeps the digest of this data folder's token in the shared store as it is in the file. */
export class PublishedToken {
  readonly #options: PublishedTokenOptions
  readonly #timer: NodeJS.Timeout
  #published: Published | null = null
  #publishing: { readonly hash: string | null; readonly done: Promise<string | null> } | null = null

  constructor(options: PublishedTokenOptions) {
    this.#options = options
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref()
  }

  /** Which token it is in the store, once the store has the one that is in the file now. null: there is no token. */
  async id(): Promise<string | null> {
    const hash = this.#options.token.digest()
    return this.#published?.hash === hash ? this.#published.id : this.#publish(hash)
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    const hash = this.#options.token.digest()
    const { hash: known, at = 0 } = this.#published ?? {}
    const isDue = Math.abs(this.#options.now() - at) >= REPEAT_MS
    // Tried again at the next look, and told by the database's errors.
    if (known !== hash || isDue) this.#publish(hash).catch(() => undefined)
  }

  #publish(hash: string | null): Promise<string | null> {
    if (this.#publishing?.hash === hash) return this.#publishing.done
    const { rows, workerId, database, now } = this.#options
    const write = async () => {
      const id = await rows.publishToken({ workerId, hash, newId: randomUUID() })
      this.#settled({ hash, id, at: now() }, { isLate: this.#publishing !== publishing })
      return id
    }
    const publishing = {
      hash,
      done: database.ask(write).finally(() => {
        if (this.#publishing === publishing) this.#publishing = null
      }),
    }
    this.#publishing = publishing
    return publishing.done
  }

  /** One that is late may have replaced what was written after it: then the next look writes again. */
  #settled(published: Published, { isLate }: { isLate: boolean }): void {
    if (this.#published?.hash !== published.hash) this.#options.onChange()
    this.#published = isLate ? null : published
  }
}
