import type { HttpBindings } from '@hono/node-server'
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import type { Caller } from '../tasks/index.ts'
import type { Credential } from './auth/credential.ts'
import { DoorError } from './door-error.ts'

export interface ApiEnv {
  /** Absent when a test asks the app without a socket. */
  Bindings: Partial<HttpBindings>
  Variables: { requestId: string; credential: Credential | undefined }
}

export type ApiApp = OpenAPIHono<ApiEnv>

export function credentialOf(c: Context<ApiEnv>): Credential {
  const credential = c.get('credential')
  if (credential === undefined) throw new DoorError('unauthorized', 'this needs a token')
  return credential
}

/** Who asks, for the task service. The signal ends the waiting when the client has gone. */
export function callerOf(c: Context<ApiEnv>): Caller {
  const { actor, grant } = credentialOf(c)
  return { actor, signal: c.req.raw.signal, ...(grant && { grant }) }
}
