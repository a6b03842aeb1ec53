import type { Context } from 'hono'
import { type ApiEnv, credentialOf } from '../api-env.ts'
import { DoorError } from '../door-error.ts'

/** What a browser must not be able to do, whoever made it ask. */
export function tokenOnly(c: Context<ApiEnv>): void {
  const { kind, grant } = credentialOf(c)
  if (kind !== 'token' || grant !== null) throw new DoorError('token-required', 'this needs the token itself')
}
