// A PostgreSQL url, read once and strictly: a misspelt `sslmode` must not mean a connection without TLS. Nothing here
// repeats the url in an error, because whatever is wrong with it may be the password.
import { isIP } from 'node:net'
import { StoreError } from '../store-errors.ts'

export interface Address {
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
  readonly password: string | undefined
  readonly tls: TlsMode
  /** A file with the certificates to trust, instead of the system's. */
  readonly rootCertificate: string | null
  readonly applicationName: string | null
}

/** `require` encrypts and believes any certificate, unless a root certificate is named; `verify-full` never does. */
type TlsMode = 'disable' | 'require' | 'verify-full'

const TLS_MODES: readonly string[] = ['disable', 'require', 'verify-full'] satisfies TlsMode[]
const PARAMETERS: readonly string[] = ['sslmode', 'sslrootcert', 'application_name', 'host']

export function readAddress(text: string): Address {
  const url = parsed(text)
  if (!url) throw bad('must look like postgres://user:password@host:5432/database, with %40 for @, %23 for #')
  for (const name of url.searchParams.keys())
    if (!PARAMETERS.includes(name))
      throw bad(`has a parameter that is not supported; these are: ${PARAMETERS.join(', ')}`)
  const user = decodeURIComponent(url.username)
  const database = decodeURIComponent(url.pathname.slice(1))
  if (!user) throw bad('names no user')
  if (!database || database.includes('/')) throw bad('names no database')
  const host = url.searchParams.get('host') ?? bareHost(url)
  return {
    host,
    port: Number(url.port || 5432),
    database,
    user,
    password: url.password ? decodeURIComponent(url.password) : undefined,
    tls: tlsMode(url, host),
    rootCertificate: url.searchParams.get('sslrootcert'),
    applicationName: url.searchParams.get('application_name'),
  }
}

/** For people and logs: without the password, and without what might be a part of one. */
export function shownUrl(text: string): string {
  const url = parsed(text)
  if (!url) return 'the PostgreSQL address'
  const user = url.username ? `${url.username}@` : ''
  return `postgres://${user}${url.host}${url.pathname}`
}

/** null when some part of it would be taken for another, as of a password with an unescaped `/`, `?` or `#`. */
function parsed(text: string): URL | null {
  const url = URL.parse(text)
  if (!url || !/^postgres(ql)?:$/.test(url.protocol)) return null
  const isTorn = url.hash !== '' || url.search.includes('@') || url.pathname.includes('@')
  return isTorn || !canDecode(url) ? null : url
}

function canDecode({ username, password, pathname }: URL): boolean {
  try {
    decodeURIComponent(username + password + pathname)
    return true
  } catch {
    return false
  }
}

function tlsMode(url: URL, host: string): TlsMode {
  const mode = url.searchParams.get('sslmode')
  if (mode === null) return isHere(host) ? 'disable' : 'require'
  if (!TLS_MODES.includes(mode))
    throw bad(`has an sslmode that is not supported; these are: ${TLS_MODES.join(', ')}`)
  return mode as TlsMode
}

function isHere(host: string): boolean {
  return (
    host.startsWith('/') ||
    host === 'localhost' ||
    host === '::1' ||
    (isIP(host) === 4 && host.startsWith('127.'))
  )
}

function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}

function bad(what: string): StoreError {
  return new StoreError('bad-database-url', `the PostgreSQL address ${what}`)
}
