// Secrets known by the form of their record: password hashes, pgpass lines, SQL that names a password by another word.
import { mask } from './mask.ts'
import { isHidable, isSecretValue } from './secret-value.ts'
import { readAt, type Span } from './span.ts'
import { readQuoted } from './written-value.ts'

/** crypt(3), bcrypt, Apache's MD5, Argon2 and LDAP's, as htpasswd, shadow and databases keep them. */
export const HASH_SIGN =
  '\\$(?:apr1|2[abxy]|[1567]|g?y|argon2(?:id|i|d)|scrypt|pbkdf2-sha\\d{1,3})\\$|\\{S?SHA\\d{0,3}\\}'
const HASH = /[./A-Za-z0-9$=,+-]{20,}/y

export function hashSpans(text: string, at: number, sign: string): readonly Span[] {
  const start = at + sign.length
  const hash = readAt(HASH, text, start)?.[0]
  return hash === undefined ? [] : [{ start, end: start + hash.length, mask: mask(hash, '') }]
}

/** The port of a pgpass line. */
export const PGPASS_SIGN = ':(?:\\d{4,5}|\\*):'
const HOST = /(?:^|[\s"'`])[-+]?[A-Za-z0-9_.*/-]{1,253}$/
const DATABASE_USER_PASSWORD =
  /((?:[^\s:"'`\\/]{1,63}:){2})((?:\\:|[^\s:"'`\\]){1,256})(?=[\s"'`]|\\[nr"]|$)/y

/** `host:port:database:user:password` */
export function pgpassSpans(text: string, at: number, sign: string): readonly Span[] {
  const rest = readAt(DATABASE_USER_PASSWORD, text, at + sign.length)
  const secret = rest?.[2] ?? ''
  if (!rest || !isHidable(secret) || !HOST.test(text.slice(Math.max(0, at - 254), at))) return []
  const end = at + sign.length + rest[0].length
  return [{ start: end - secret.length, end, mask: mask(secret) }]
}

const IDENTIFIED =
  /[ \t]{1,4}(?:WITH[ \t]{1,4}\S{1,64}[ \t]{1,4})?(?:BY|AS)[ \t]{1,4}(?:PASSWORD[ \t]{1,4})?/iy
const UNQUOTED_PASSWORD = /[A-Za-z][\w$#]{0,29}(?=[ \t]{0,4}(?:;|[\r\n]|$))/y

/** `CREATE USER a IDENTIFIED BY 'value'` */
export function identifiedSpans(text: string, at: number, word: string): readonly Span[] {
  const by = readAt(IDENTIFIED, text, at + word.length)
  if (!by) return []
  const from = at + word.length + by[0].length
  const quoted = text[from] === '`' ? null : readQuoted(text, from)
  if (quoted) {
    const secret = text.slice(quoted.start, quoted.end)
    const isSecret = isSecretValue(secret, 'password', 'quoted')
    return isSecret ? [{ start: quoted.start, end: quoted.end, mask: mask(secret) }] : []
  }
  const bare = word === 'IDENTIFIED' ? readAt(UNQUOTED_PASSWORD, text, from)?.[0] : undefined
  if (bare === undefined || !isHidable(bare)) return []
  return [{ start: from, end: from + bare.length, mask: mask(bare) }]
}
