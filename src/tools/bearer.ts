// The secret that a thread's tools are called with. It names what it is for, and is the same again after a restart.
import { createHmac, timingSafeEqual } from 'node:crypto'

/** `name.signature`, both base64url. */
export function makeBearer(key: string, secret: string): string {
  const name = Buffer.from(key).toString('base64url')
  return `${name}.${signature(name, secret)}`
}

/** What it is for; null when we did not make it. */
export function readBearer(bearer: string, secret: string): string | null {
  const [name = '', given = '', ...rest] = bearer.split('.')
  if (rest.length > 0 || name === '') return null
  const expected = Buffer.from(signature(name, secret))
  const found = Buffer.from(given)
  if (found.length !== expected.length || !timingSafeEqual(found, expected)) return null
  return Buffer.from(name, 'base64url').toString()
}

function signature(name: string, secret: string): string {
  return createHmac('sha256', secret).update(name).digest('base64url')
}
