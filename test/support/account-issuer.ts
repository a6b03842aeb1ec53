// OpenAI's side of several ChatGPT logins, on loopback: refresh tokens that work once, with reuse detection, the usage
// endpoint, and a gate before the scripted model that knows which access tokens are good.
import { randomBytes } from 'node:crypto'
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CodexHomeOptions } from '../../src/testing/index.ts'

export interface IssuedLogin {
  readonly accountId: string
  readonly email: string
  /** What stands in auth.json. */
  readonly authJson: string
}

interface Family {
  readonly accountId: string
  readonly email: string
  refreshToken: string
  accessToken: string
  isRevoked: boolean
  usedPercent: number
  refreshes: number
}

/** One call of the model: which account, and whether its token was good. */
interface ModelCall {
  readonly accountId: string
  readonly at: number
  readonly isGood: boolean
}

type RefreshFault = 'none' | { readonly status: number; readonly code?: string }

export async function startAccountIssuer(model: { readonly url: string }) {
  const families = new Map<string, Family>()
  const used = new Map<string, Family>()
  const reused: string[] = []
  const calls: ModelCall[] = []
  const asked: string[] = []
  const revoked: string[] = []
  const issued: string[] = []
  let fault: RefreshFault = 'none'
  let lastsSecs = 3600
  let revokes = true
  let isAuthorized = false
  let lastRefreshAt = 0

  const issue = (family: Pick<Family, 'accountId' | 'email'>) => {
    const accessToken = jwt(family, { lastsSecs })
    const refreshToken = `rt-${family.accountId}-${randomBytes(12).toString('hex')}`
    issued.push(accessToken, refreshToken)
    return { accessToken, refreshToken }
  }
  const refresh = (body: { refresh_token?: string }): readonly [number, object] => {
    lastRefreshAt = Date.now()
    if (fault !== 'none')
      return [fault.status, fault.code ? { error: { code: fault.code, message: fault.code } } : {}]
    const token = body.refresh_token ?? ''
    const spent = used.get(token)
    if (spent) {
      reused.push(token)
      spent.isRevoked = true
      return [401, { error: { code: 'refresh_token_reused', message: 'used already' } }]
    }
    const family = [...families.values()].find(({ refreshToken }) => refreshToken === token)
    if (!family || family.isRevoked)
      return [401, { error: { code: 'refresh_token_invalidated', message: 'revoked' } }]
    used.set(token, family)
    Object.assign(family, issue(family))
    family.refreshes++
    return [200, tokensOf(family)]
  }
  /** A person has typed the code in: another login. */
  const byCode = (): readonly [number, object] => {
    const family = open('by-code')
    return [200, { ...tokensOf(family), token_type: 'Bearer', expires_in: 3600 }]
  }
  const open = (accountId: string): Family => {
    const about = { accountId, email: `${accountId}@example.com` }
    const family = { ...about, ...issue(about), isRevoked: false, usedPercent: 10, refreshes: 0 }
    families.set(accountId, family)
    return family
  }
  const familyOf = (request: IncomingMessage) => {
    const token = request.headers.authorization?.replace(/^Bearer /, '')
    return [...families.values()].find(({ accessToken }) => accessToken === token)
  }
  const usage = (request: IncomingMessage): readonly [number, object] => {
    const family = familyOf(request)
    return family ? [200, usageOf(family)] : [401, {}]
  }
  const gate = (request: IncomingMessage, response: ServerResponse) => {
    const family = familyOf(request)
    const isGood = isApiKey(request) || (family !== undefined && !family.isRevoked)
    calls.push({ accountId: String(request.headers['chatgpt-account-id']), at: Date.now(), isGood })
    if (!isGood) return answer(response, [401, { error: { message: 'token expired' } }])
    pass(request, response, model.url)
  }
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url!, 'http://127.0.0.1')
    asked.push(pathname)
    if (pathname.startsWith('/v1/')) return gate(request, response)
    if (pathname === '/oauth/token')
      return void textOf(request).then((text) =>
        answer(response, text.startsWith('{') ? refresh(JSON.parse(text) as never) : byCode()),
      )
    if (pathname === '/api/accounts/deviceauth/usercode')
      return answer(response, [200, { device_auth_id: 'device-1', user_code: USER_CODE, interval: '1' }])
    if (pathname === '/api/accounts/deviceauth/token')
      return answer(response, isAuthorized ? [200, AUTHORIZED] : [403, {}])
    if (pathname === '/api/accounts/v1/user-auth-credential/whoami') return answer(response, [200, WHOAMI])
    if (pathname === '/oauth/revoke')
      return void textOf(request).then((text) => {
        if (!revokes) return answer(response, [503, {}])
        const { token } = JSON.parse(text) as { token: string }
        revoked.push(token)
        for (const family of families.values()) if (family.refreshToken === token) family.isRevoked = true
        answer(response, [200, {}])
      })
    request.resume()
    if (pathname.endsWith('/wham/usage')) return answer(response, usage(request))
    if (pathname.endsWith('/wham/accounts/check'))
      return answer(response, [200, workspaces(familyOf(request)?.accountId ?? 'none')])
    answer(response, [404, {}])
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    asked,
    calls,
    /** Every access and refresh token that was ever given out. */
    issued,
    /** Refresh tokens that were used twice. */
    reused,
    /** Refresh tokens that were revoked by a logout. */
    revoked,
    /** For codex. */
    env: {
      CODEX_REFRESH_TOKEN_URL_OVERRIDE: `${url}/oauth/token`,
      CODEX_REVOKE_TOKEN_URL_OVERRIDE: `${url}/oauth/revoke`,
      CODEX_APP_SERVER_LOGIN_ISSUER: url,
      CODEX_APP_SERVER_CHATGPT_BASE_URL: `${url}/backend-api`,
      CODEX_AUTHAPI_BASE_URL: `${url}/api/accounts`,
      NO_PROXY: '127.0.0.1',
      no_proxy: '127.0.0.1',
    },
    /** The scripted model behind the gate, and a provider that wants a login. */
    home: {
      config: {
        'model_providers.scripted.requires_openai_auth': true,
        'model_providers.scripted.base_url': `${url}/v1`,
        chatgpt_base_url: `${url}/backend-api`,
        'features.apps': false,
      },
    } satisfies CodexHomeOptions,
    login(accountId: string): IssuedLogin {
      const family = open(accountId)
      return { accountId, email: family.email, authJson: authJson(family) }
    },
    lastRefreshAt: () => lastRefreshAt,
    family: (accountId: string): Readonly<Family> => families.get(accountId)!,
    /** A person types the code of a login in: it is the login of the account `by-code`. */
    authorize(): void {
      isAuthorized = true
    },
    /** Its access token is refused from now on. */
    expire(accountId: string): void {
      families.get(accountId)!.accessToken = 'none'
    },
    revoke(accountId: string): void {
      families.get(accountId)!.isRevoked = true
    },
    /** Whether it takes logouts. */
    takeRevokes(isTaken: boolean): void {
      revokes = isTaken
    },
    use(accountId: string, percent: number): void {
      families.get(accountId)!.usedPercent = percent
    },
    failRefreshes(how: RefreshFault): void {
      fault = how
    },
    /** Of access tokens that are issued from now on. Codex refreshes within five minutes of their end. */
    accessLasts(secs: number): void {
      lastsSecs = secs
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

export const USER_CODE = 'WXYZ-98765'
const AUTHORIZED = { authorization_code: 'code', code_challenge: 'challenge', code_verifier: 'verifier' }
/** Of any access token that a workspace has made. */
const WHOAMI = {
  ...{ email: 'robot@example.com', chatgpt_user_id: 'robot', chatgpt_account_id: 'ws-robot' },
  ...{ chatgpt_plan_type: 'business', chatgpt_account_is_fedramp: false },
}

/** Any is good. */
function isApiKey({ headers }: IncomingMessage): boolean {
  return headers.authorization?.startsWith('Bearer sk-') ?? false
}

function tokensOf(family: Family) {
  return {
    id_token: jwt(family, { lastsSecs: 3600 }),
    access_token: family.accessToken,
    refresh_token: family.refreshToken,
  }
}

function authJson(family: Family): string {
  const tokens = { ...tokensOf(family), account_id: family.accountId }
  const auth = {
    auth_mode: 'chatgpt',
    OPENAI_API_KEY: null,
    tokens,
    last_refresh: new Date().toISOString(),
  }
  return JSON.stringify(auth, null, 2)
}

function jwt(
  { accountId, email }: { accountId: string; email: string },
  { lastsSecs }: { lastsSecs: number },
): string {
  const claims = {
    sub: email,
    email,
    jti: randomBytes(8).toString('hex'),
    exp: Math.floor(Date.now() / 1000) + lastsSecs,
    'https://api.openai.com/auth': {
      chatgpt_account_id: accountId,
      chatgpt_plan_type: 'plus',
      chatgpt_user_id: email,
    },
  }
  const parts = [{ alg: 'RS256', typ: 'JWT' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  )
  return [...parts, randomBytes(24).toString('base64url')].join('.')
}

function usageOf({ usedPercent, email, accountId }: Family) {
  const window = (seconds: number, percent: number) => ({
    used_percent: percent,
    limit_window_seconds: seconds,
    reset_after_seconds: 600,
    reset_at: Math.floor(Date.now() / 1000) + 600,
  })
  return {
    user_id: email,
    account_id: accountId,
    email,
    plan_type: 'plus',
    rate_limit: {
      allowed: usedPercent < 100,
      limit_reached: usedPercent >= 100,
      primary_window: window(18_000, usedPercent),
      secondary_window: window(604_800, Math.round(usedPercent / 2)),
    },
    // Of a model with a limit of its own.
    additional_rate_limits: [
      {
        limit_name: 'gpt-small',
        metered_feature: 'small',
        rate_limit: { allowed: true, limit_reached: false, primary_window: window(18_000, 3) },
      },
    ],
  }
}

function workspaces(id: string) {
  const workspace = {
    id,
    plan_type: 'plus',
    structure: 'personal',
    workspace_backend_origin: 'https://workspace.invalid',
    account_routing_override: 'NO_CONSTRAINT',
  }
  return { accounts: [workspace], account_ordering: [id] }
}

function answer(response: ServerResponse, [status, body]: readonly [number, object]): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString() || '{}'
}

function pass(request: IncomingMessage, response: ServerResponse, modelUrl: string): void {
  const target = new URL(modelUrl.replace(/\/v1$/, '') + request.url!)
  const { method, headers } = request
  const onward = forward(target, { method, headers }, (reply) => {
    response.writeHead(reply.statusCode!, reply.headers)
    reply.pipe(response)
  })
  onward.on('error', () => response.destroy())
  response.on('close', () => onward.destroy())
  request.pipe(onward)
}
