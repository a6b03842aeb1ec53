// The task service as the credential of a request may use it.
import type { Context } from 'hono'
import { boundTasks } from '../tasks/index.ts'
import { type ApiEnv, credentialOf } from './api-env.ts'
import type { OfferedService } from './api-options.ts'

/** Everything for the owner; for a named token, what it may do. What a service offers besides is the owner's. */
export function serviceFor(c: Context<ApiEnv>, service: OfferedService): OfferedService {
  const { grant } = credentialOf(c)
  return grant === null ? service : boundTasks(service, grant)
}
