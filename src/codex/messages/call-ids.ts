// Ids of tool calls. Chat APIs refuse an id longer than 40 characters or with others than letters, digits, `_` and `-`.
import { createHash } from 'node:crypto'
import { stableJson } from './stable-json.ts'

const MAX_LENGTH = 40
const SAFE = /^[A-Za-z0-9_-]+$/

/** Gives every call of one projection an id of its own, the same one each time the same items are projected. */
export class CallIds {
  readonly #used = new Set<string>()
  readonly #repeats = new Map<string, number>()

  /** `codex_<kind>_<item id>`; a hash stands in for an item id that is missing, too long or has other characters. */
  next(kind: string, itemId: string, item: unknown): string {
    const wanted = `codex_${kind}_${itemId}`
    const fits = itemId !== '' && wanted.length <= MAX_LENGTH && SAFE.test(wanted)
    const id = fits ? wanted : `codex_${kind}_${hash(itemId || stableJson(item))}`
    return this.#claim(id)
  }

  #claim(id: string): string {
    let candidate = id
    while (this.#used.has(candidate)) {
      const repeat = (this.#repeats.get(id) ?? 1) + 1
      this.#repeats.set(id, repeat)
      const suffix = `_${repeat}`
      candidate = id.slice(0, MAX_LENGTH - suffix.length) + suffix
    }
    this.#used.add(candidate)
    return candidate
  }
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
