// A server that is reached at an address.
import { type FoundServer, type Interpolated, outline, plainText } from '../sources/index.ts'
import type { CodexServer } from './codex-server.ts'
import { type FixedTextContext, fixedText } from './fixed-text.ts'
import { isSecretNamed, isSecretUrl, secretParts, withoutFilledIn } from './secret-values.ts'
import { askedOf } from './translation.ts'

type Http = Pick<
  CodexServer,
  'url' | 'http_headers' | 'env_http_headers' | 'bearer_token_env_var' | 'oauth' | 'scopes'
>

export function translateHttp(server: FoundServer, context: FixedTextContext): Http {
  const url = fixedText(server.url!, 'url', context)
  if (url !== null) checkUrl(server, url, context)
  const headers = translateHeaders(server, context)
  tellUnused(server, context)
  if (url === null) return {}
  const { clientId, callbackPort } = server.oauth
  const oauth = {
    ...(clientId !== null && { client_id: clientId }),
    ...(callbackPort !== null && { callback_port: callbackPort }),
  }
  return {
    url,
    ...headers,
    ...(Object.keys(oauth).length > 0 && { oauth }),
    ...(server.scopes && server.scopes.length > 0 && { scopes: server.scopes }),
  }
}

/** Codex starts nothing for an address. */
function tellUnused({ env, args, cwd }: FoundServer, { out }: FixedTextContext): void {
  const unused = [
    ...Object.keys(env).map((name) => `env.${name}`),
    ...(args.length > 0 ? ['args'] : []),
    ...(cwd ? ['cwd'] : []),
  ]
  for (const about of unused) out.note(about, 'is left out: Codex connects to this server and starts nothing')
}

function checkUrl(server: FoundServer, whole: string, { allowed, out }: FixedTextContext): void {
  const url = withoutFilledIn(whole, out.filledIn)
  if (!/^https?:\/\//i.test(url)) out.refuse('url is not an http address')
  if (!isSecretUrl(url)) return
  out.secrets.push(url, ...secretParts(url))
  const { key, where } = askedOf(server, 'url')
  if (allowed.secrets === 'all' || allowed.secrets.has(key)) return
  out.ask({ kind: 'secret', key, text: `copy the secret in the url of ${where} into config.toml` })
  out.refuse('url holds a secret, and Codex takes it only literally: import with --with secrets to copy it')
}

interface Headers {
  readonly http_headers: Record<string, string>
  readonly env_http_headers: Record<string, string>
  bearer_token_env_var?: string
}

function translateHeaders(server: FoundServer, context: FixedTextContext) {
  const headers: Headers = { http_headers: {}, env_http_headers: {} }
  for (const [name, value] of Object.entries(server.headers))
    header(server, { name, value, headers }, context)
  const { http_headers, env_http_headers, bearer_token_env_var } = headers
  return {
    ...(Object.keys(http_headers).length > 0 && { http_headers }),
    ...(Object.keys(env_http_headers).length > 0 && { env_http_headers }),
    ...(bearer_token_env_var !== undefined && { bearer_token_env_var }),
  }
}

function header(
  server: FoundServer,
  { name, value, headers }: { name: string; value: Interpolated; headers: Headers },
  { allowed, out }: FixedTextContext,
): void {
  const about = `headers.${name}`
  const literal = plainText(value)
  const isAuthorization = name.toLowerCase() === 'authorization'
  if (literal !== null) {
    if (!isSecretNamed(name, literal)) return put(headers.http_headers, name, literal)
    const token = /^Bearer\s+(.+)$/i.exec(literal)?.[1]
    out.secrets.push(literal, ...(token === undefined ? secretParts(literal) : [token]))
    const { key, where } = askedOf(server, about)
    if (allowed.secrets === 'all' || allowed.secrets.has(key)) return put(headers.http_headers, name, literal)
    out.ask({ kind: 'secret', key, text: `copy the secret ${about} of ${where} into config.toml` })
    const named = variableName(server.name, token === undefined ? name : 'token')
    out.note(
      about,
      `its value is not copied: set ${named} in Codex's environment to it; --with secrets copies it`,
    )
    return token === undefined ? byVariable(name, named) : byToken(named)
  }
  const variable = onlyVariable(value)
  if (variable) {
    if (variable.fallback !== null) out.note(about, `the default of ${variable.name} is not carried over`)
    return byVariable(name, variable.name)
  }
  const bearer = isAuthorization ? bearerVariable(value) : null
  if (bearer) {
    if (bearer.fallback !== null) out.note(about, `the default of ${bearer.name} is not carried over`)
    return byToken(bearer.name)
  }
  for (const part of value) if ('text' in part && isSecretNamed(name, part.text)) out.secrets.push(part.text)
  const named = variableName(server.name, name)
  out.note(
    about,
    `Codex cannot fill in ${outline(value)}: set ${named} in its environment to the whole value`,
  )
  byVariable(name, named)

  function byVariable(of: string, named: string): void {
    out.needs.add(named)
    put(headers.env_http_headers, of, named)
  }
  function byToken(named: string): void {
    out.needs.add(named)
    headers.bearer_token_env_var = named
  }
}

function put(table: Record<string, string>, name: string, value: string): void {
  Object.defineProperty(table, name, { value, enumerable: true })
}

interface NamedVariable {
  readonly name: string
  readonly fallback: string | null
}

function onlyVariable([only, ...rest]: Interpolated): NamedVariable | null {
  return only && rest.length === 0 && 'variable' in only
    ? { name: only.variable, fallback: only.fallback }
    : null
}

/** `Bearer ${X}`. */
function bearerVariable([scheme, ...rest]: Interpolated): NamedVariable | null {
  return scheme && 'text' in scheme && /^Bearer\s+$/i.test(scheme.text) ? onlyVariable(rest) : null
}

function variableName(server: string, what: string): string {
  const name = `${server}_${what}`
    .normalize('NFKD')
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
  return /^\d/.test(name) ? `MCP_${name}` : name
}
