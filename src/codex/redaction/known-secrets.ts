import { escapePattern } from './token-families.ts'

/** Shorter ones would hit ordinary words. */
const MIN_LENGTH = 4

/** A pattern for these exact values, also as they look inside JSON and URLs; null when there is nothing to look for. */
export function knownSecrets(secrets: readonly string[]): RegExp | null {
  const forms = secrets
    .filter((secret) => secret.trim().length >= MIN_LENGTH)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeUri(secret)])
  const longestFirst = [...new Set(forms)].sort((a, b) => b.length - a.length)
  return longestFirst.length > 0 ? new RegExp(longestFirst.map(escapePattern).join('|'), 'g') : null
}

function encodeUri(secret: string): string {
  return secret.isWellFormed() ? encodeURIComponent(secret) : secret
}
