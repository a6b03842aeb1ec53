import { MAX_STEERS_REMEMBERED } from '../defaults.ts'
import { hasCode } from '../errors/index.ts'

/** What was given into a turn lately, by the caller's own id: the same id again is not sent again. */
export class SentSteers<T> {
  readonly #sent = new Map<string, Promise<T>>()

  once(id: string | undefined, send: () => Promise<T>): Promise<T> {
    if (id === undefined) return send()
    const sent = this.#sent.get(id) ?? send()
    if (!this.#sent.has(id)) this.#remember(id, sent)
    return sent
  }

  #remember(id: string, sent: Promise<T>): void {
    this.#sent.set(id, sent)
    // One that codex certainly did not take may be tried again; one without a reply may have arrived.
    sent.catch((error) => {
      if (!hasCode(error, 'request-timeout')) this.#sent.delete(id)
    })
    if (this.#sent.size > MAX_STEERS_REMEMBERED) this.#sent.delete(this.#sent.keys().next().value!)
  }
}
