// How a receiver knows that a webhook is ours and recent: an HMAC over the time and the body.
import { createHmac, timingSafeEqual } from 'node:crypto'

export const SIGNATURE_HEADER = 'Drawbridge-Signature'

/** The value of the header: `t=<unix seconds>,v1=<hex>`. */
export function signBody(body: string, secret: string, { now }: { readonly now: number }): string {
  const seconds = Math.floor(now / 1000)
  return `t=${seconds},v1=${digest(seconds, body, secret).toString('hex')}`
}

/**
 * Whether this body was signed with this secret, not longer ago than the tolerance (default 5 minutes). `body` is what
 * came over the wire, before any parsing. More than one `v1` may be given, for when a secret changes.
 */
export function verifySignature(
  body: string | Uint8Array,
  header: string | null | undefined,
  secret: string,
  { now = Date.now(), toleranceMs = 300_000 }: { readonly now?: number; readonly toleranceMs?: number } = {},
): boolean {
  const parts = (header ?? '').split(',').map((part) => part.trim().split('=', 2) as [string, string?])
  const seconds = parts.find(([name]) => name === 't')?.[1] ?? ''
  if (!/^\d{1,12}$/.test(seconds) || Math.abs(now - Number(seconds) * 1000) > toleranceMs) return false
  const expected = digest(Number(seconds), body, secret)
  return parts.some(([name, value]) => name === 'v1' && isSame(Buffer.from(value ?? '', 'hex'), expected))
}

function digest(seconds: number, body: string | Uint8Array, secret: string): Buffer {
  return createHmac('sha256', secret).update(`${seconds}.`).update(body).digest()
}

function isSame(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected)
}
