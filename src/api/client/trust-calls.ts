import type { LookAtFolder, TrustedFolder, TrustFolder, TrustList, TrustLook } from '../contract.ts'
import type { Http } from './http.ts'
import type { CallOptions } from './task-calls.ts'

export class TrustCalls {
  readonly #http: Http

  constructor(http: Http) {
    this.#http = http
  }

  list(options: CallOptions = {}): Promise<TrustList> {
    return this.#http.json('GET', '/v1/trust', options)
  }

  /** Whether a folder is trusted, and what trust would start there. */
  look(at: LookAtFolder, options: CallOptions = {}): Promise<TrustLook> {
    return this.#http.json('POST', '/v1/trust/look', { body: at, ...options })
  }

  /** Trusts what was looked at. `trust-changed` when it is another by now, with the new look in `details`. */
  trust(folder: TrustFolder, options: CallOptions = {}): Promise<TrustedFolder> {
    return this.#http.json('POST', '/v1/trust', { body: folder, ...options })
  }

  revoke(root: string, options: CallOptions = {}): Promise<void> {
    return this.#http.json('POST', '/v1/trust/revoke', { body: { root }, ...options })
  }
}
