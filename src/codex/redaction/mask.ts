import { knownPrefix } from './token-families.ts'

/** Fewer hidden characters than this, and the last four would give too much away. */
const MIN_HIDDEN = 12
const SHOWN_TAIL = 4
const SAFE_TAIL = /^[A-Za-z0-9_=-]{4}$/
const MASK = /^[A-Za-z0-9_.:/-]{0,48}(?:\*\*\*|…[A-Za-z0-9_=-]{4})$/

/**
 * Known prefix, `…` and the last four characters, or `***` in place of those when the secret is short. Never contains
 * a character that JSON or a shell would have to escape.
 */
export function mask(secret: string, prefix: string = knownPrefix(secret)): string {
  const tail = secret.slice(-SHOWN_TAIL)
  const hidden = secret.length - prefix.length - SHOWN_TAIL
  return hidden >= MIN_HIDDEN && SAFE_TAIL.test(tail) ? `${prefix}…${tail}` : `${prefix}***`
}

export function isMask(text: string): boolean {
  return text.length < 64 && MASK.test(text)
}
