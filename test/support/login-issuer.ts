// OpenAI's side of a login by device code, on loopback: what codex 0.166 asks for, and no more.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CodexHomeOptions } from '../../src/testing/index.ts'

export const USER_CODE = 'WXYZ-98765'
export const EMAIL = 'jane@example.com'
/** What must be seen by nobody but codex. */
export const TOKENS = { access_token: 'access-of-jane', refresh_token: 'refresh-of-jane' }

type Answer = readonly [status: number, body: object]

export async function startLoginIssuer() {
  let atTheDoor: 'waiting' | 'authorized' | 'denied' = 'waiting'
  let isBroken = false
  const asked: string[] = []
  const answers: Readonly<Record<string, () => Answer>> = {
    '/api/accounts/deviceauth/usercode': () => [
      200,
      { device_auth_id: 'device-1', user_code: USER_CODE, interval: '1' },
    ],
    '/api/accounts/deviceauth/token': () => {
      if (atTheDoor === 'waiting') return [403, {}]
      if (atTheDoor === 'denied') return [400, { error: 'access_denied' }]
      return [200, { authorization_code: 'code', code_challenge: 'challenge', code_verifier: 'verifier' }]
    },
    '/oauth/token': () => [200, { ...TOKENS, id_token: idToken(), token_type: 'Bearer', expires_in: 3600 }],
    '/oauth/revoke': () => [200, {}],
    '/backend-api/wham/accounts/check': () => [200, { accounts: [WORKSPACE], account_ordering: ['ws'] }],
  }
  const server = createServer((request, response) => {
    request.resume()
    const { pathname } = new URL(request.url!, 'http://127.0.0.1')
    asked.push(pathname)
    const [status, body] = isBroken ? [500, {}] : (answers[pathname]?.() ?? [404, {}])
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    /** Paths, in order. */
    asked,
    /** For the app-server. */
    env: {
      CODEX_APP_SERVER_LOGIN_ISSUER: url,
      CODEX_REFRESH_TOKEN_URL_OVERRIDE: `${url}/oauth/token`,
      CODEX_REVOKE_TOKEN_URL_OVERRIDE: `${url}/oauth/revoke`,
      NO_PROXY: '127.0.0.1',
      no_proxy: '127.0.0.1',
    },
    /** Codex's own provider, which wants a login; and where the account lives. */
    home: {
      config: {
        model: null,
        model_provider: null,
        chatgpt_base_url: `${url}/backend-api`,
        'features.plugins': false,
        'features.apps': false,
      },
    } satisfies CodexHomeOptions,
    /** Somebody types the code in. */
    authorize: () => {
      atTheDoor = 'authorized'
    },
    deny: () => {
      atTheDoor = 'denied'
    },
    /** Nobody has, yet. */
    waitAgain: () => {
      atTheDoor = 'waiting'
      isBroken = false
    },
    breakDown: () => {
      isBroken = true
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

/** codex takes no workspace whose address is not https. Nobody asks this one. */
const WORKSPACE = {
  id: 'ws',
  plan_type: 'plus',
  structure: 'personal',
  workspace_backend_origin: 'https://workspace.invalid',
  account_routing_override: 'NO_CONSTRAINT',
}

function idToken(): string {
  const claims = {
    sub: 'jane',
    email: EMAIL,
    exp: Math.floor(Date.now() / 1000) + 3600,
    'https://api.openai.com/auth': {
      chatgpt_account_id: WORKSPACE.id,
      chatgpt_plan_type: WORKSPACE.plan_type,
      chatgpt_user_id: 'jane',
    },
  }
  const parts = [{ alg: 'RS256', typ: 'JWT' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  )
  return [...parts, 'unsigned'].join('.')
}
