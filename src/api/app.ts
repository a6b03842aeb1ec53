// The API as one hono app: the door in front, the routes behind it. It can be asked without a socket.
import { OpenAPIHono } from '@hono/zod-openapi'
import type { ApiApp, ApiEnv } from './api-env.ts'
import type { AppOptions } from './api-options.ts'
import { OWN_TOKEN } from './auth/credentials.ts'
import { Gatekeeper } from './auth/gatekeeper.ts'
import { NamedTokens } from './auth/named-tokens.ts'
import { consolePages } from './console/console-pages.ts'
import type { LoginLink } from './contract.ts'
import { addDoor } from './door/add-door.ts'
import { RateLimit } from './door/rate-limit.ts'
import { refuseInvalid } from './door/refuse-invalid.ts'
import { errorResponse } from './error-response.ts'
import type { RouteParts } from './route-parts.ts'
import { addAccountRoutes } from './routes/account.ts'
import { addAccountsRoutes } from './routes/accounts.ts'
import { addApprovalRoutes } from './routes/approvals.ts'
import { addEventRoutes } from './routes/events.ts'
import { addFileRoutes } from './routes/files.ts'
import { addHandoverRoutes } from './routes/handover.ts'
import { addHostRoutes } from './routes/hosts.ts'
import { addLoginRoutes, loginLink } from './routes/logins.ts'
import { addMcpRoute } from './routes/mcp.ts'
import { addNoticeRoutes } from './routes/notices.ts'
import { addOperatorRoutes } from './routes/operators.ts'
import { addRuleRoutes } from './routes/rules.ts'
import { addSnapshotRoutes } from './routes/snapshots.ts'
import { addSystemRoutes } from './routes/system.ts'
import { addTaskRoutes } from './routes/tasks.ts'
import { addTerminalRoutes } from './routes/terminals.ts'
import { addTokenRoutes } from './routes/tokens.ts'
import { addToolRoutes } from './routes/tools.ts'
import { addTrustRoutes } from './routes/trust.ts'
import { addTurnRoutes } from './routes/turns.ts'
import { addUsageRoutes } from './routes/usage.ts'
import { addWorkerRoutes } from './routes/workers.ts'
import { addWorkspaceRoutes } from './routes/workspaces.ts'
import { OpenStreams } from './stream/open-streams.ts'

export interface Api {
  readonly app: ApiApp
  readonly streams: OpenStreams
  /** With the token of this data folder. */
  makeLoginLink(): Promise<LoginLink>
}

export function createApi(options: AppOptions): Api {
  const { limits, now, credentials, tokens, onError } = options
  const named = tokens && new NamedTokens({ rows: tokens, now, onError: (error) => onError(error, 'tokens') })
  const parts: RouteParts = {
    ...options,
    streams: new OpenStreams(limits),
    gatekeeper: new Gatekeeper(credentials, named),
    named,
    rates: new RateLimit({ burst: limits.burst, perSecond: limits.requestsPerSecond, now }),
  }
  const app: ApiApp = new OpenAPIHono<ApiEnv>({ defaultHook: refuseInvalid })
  app.onError((error, c) => errorResponse(error, c, options.onError))
  addDoor(app, parts)
  addTaskRoutes(app, parts)
  addTurnRoutes(app, parts)
  addTerminalRoutes(app, parts)
  addEventRoutes(app, parts)
  addHandoverRoutes(app, parts)
  addApprovalRoutes(app, parts)
  addRuleRoutes(app, parts)
  addTrustRoutes(app, parts)
  addToolRoutes(app, parts)
  addNoticeRoutes(app, parts)
  addSystemRoutes(app, parts)
  addWorkerRoutes(app, parts)
  addUsageRoutes(app, parts)
  addAccountRoutes(app, parts)
  addAccountsRoutes(app, parts)
  addLoginRoutes(app, parts)
  addTokenRoutes(app, parts)
  addHostRoutes(app, parts)
  addWorkspaceRoutes(app, parts)
  addFileRoutes(app, parts)
  addSnapshotRoutes(app, parts)
  addOperatorRoutes(app, parts)
  addMcpRoute(app, parts)
  app.notFound(consolePages(options.consoleDir, options.onError))
  return { app, streams: parts.streams, makeLoginLink: () => loginLink(parts, OWN_TOKEN) }
}
