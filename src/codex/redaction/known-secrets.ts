// Exact values to hide, whatever they look like: those given to one redactor, and those the whole process knows.
import { escapePattern } from './token-families.ts'

/** Shorter ones would hit ordinary words. */
const MIN_LENGTH = 4

/** Values as they are, and as JSON and URLs write them. */
export interface KnownSecrets {
  /** null when there is nothing to look for. */
  readonly pattern: RegExp | null
  /** Those with white space in them: a stream that gives out whole words would give out their first. */
  readonly spaced: readonly string[]
}

export function knownSecrets(secrets: readonly (string | undefined)[]): KnownSecrets {
  const forms = secrets
    .filter((secret) => secret !== undefined)
    .filter((secret) => secret.trim().length >= MIN_LENGTH)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeUri(secret)])
  const longestFirst = [...new Set(forms)].sort((a, b) => b.length - a.length)
  const pattern = longestFirst.length > 0 ? new RegExp(longestFirst.map(escapePattern).join('|'), 'g') : null
  return { pattern, spaced: longestFirst.filter((form) => /\s/.test(form)) }
}

const registered = new Map<string, number>()
let ofProcess = knownSecrets([])

/**
 * Hides these values in every text this process redacts from now on, by any redactor. Returns how to stop; a value that
 * was registered twice is hidden until both have stopped.
 */
export function registerSecrets(secrets: readonly (string | undefined)[]): () => void {
  count(secrets, 1)
  let isRegistered = true
  return () => {
    if (isRegistered) count(secrets, -1)
    isRegistered = false
  }
}

/** The registered values. */
export function registeredSecrets(): KnownSecrets {
  return ofProcess
}

/** How much of the end of `text` may be the beginning of one of these values. */
export function unfinishedEnd(text: string, spaced: readonly string[]): number {
  let longest = 0
  for (const secret of spaced)
    for (let length = Math.min(secret.length - 1, text.length); length > longest; length--)
      if (text.endsWith(secret.slice(0, length))) longest = length
  return longest
}

function count(secrets: readonly (string | undefined)[], step: 1 | -1): void {
  for (const secret of secrets) {
    if (secret === undefined) continue
    const uses = (registered.get(secret) ?? 0) + step
    if (uses > 0) registered.set(secret, uses)
    else registered.delete(secret)
  }
  ofProcess = knownSecrets([...registered.keys()])
}

function encodeUri(secret: string): string {
  return secret.isWellFormed() ? encodeURIComponent(secret) : secret
}
