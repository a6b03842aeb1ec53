import { createHash, timingSafeEqual } from 'node:crypto'

/** SHA-256 of a secret, as it is kept. */
export function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}

/** In the same time whatever is given, as long as both are digests. */
export function isSameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
