// Whether a name announces a secret. The end of a name decides: `access_token` does, `token_count` does not.

/** `password` and `certain`: whatever the value is. `likely`: only a value that looks random. */
export type SecretName = 'password' | 'certain' | 'likely'

const PASSWORDS = new Set('password passwd passphrase passcode passwort pwd'.split(' '))
const CERTAIN = new Set(
  [
    'api access auth private secret signing encryption account master consumer license subscription',
    'api access auth refresh id session bearer bot deploy personal oauth security private registry',
    'client app api webhook shared jwt signing consumer session cookie',
  ].flatMap((kinds, index) => kinds.split(' ').map((kind) => kind + ['key', 'token', 'secret'][index])),
)
const LIKELY = new Set(['token', 'secret', 'credential', 'credentials', 'apitoken', 'authentication', 'sas'])
/** Whose password it is, in names of one piece or in lower case: `smtp_pass`, `dbpass`. `first_pass` is none. */
const OWNERS = new Set(
  'smtp mail email imap pop db database sql mysql pg postgres postgresql maria mariadb mongo mongodb redis rabbitmq amqp mqtt ldap bind ftp sftp ssh sudo become user usr admin root auth http https proxy login account app api server client service svc wifi wlan vpn key store keystore truststore cert pfx registry docker npm git svn web wp vault backup repo'.split(
    ' ',
  ),
)
/** A word with the telling one at its end: `PGPASSWORD`, `githubtoken`. */
const JOINED_PASSWORD = /^.+(?:password|passwd|passphrase|passcode)$/
const JOINED_SECRET = /^.+(?:token|secret|apikey)$/
/** Words after the telling one that do not change what it is: `SECRET_KEY_BASE`, `API_KEY_PROD`. */
const SUFFIXES = new Set(
  'base prod production dev development staging test live old new main primary secondary backup default value raw b64 base64'.split(
    ' ',
  ),
)
/** `next_page_token`, `pad_token`, `primary_key`: positions and symbols, not secrets. */
const HARMLESS_KINDS = new Set(
  'page next continuation sync cancel cancellation progress pad eos bos unk sep cls mask stop prev previous max min num total public primary foreign sort cache partition index row object idempotency hash storage lookup group unique query dict message registry feature flag host known react'.split(
    ' ',
  ),
)

export function secretName(name: string): SecretName | null {
  const words = wordsOf(name)
  const last = words.at(-1) ?? ''
  const kind = words.at(-2) ?? ''
  const isEnvironmentName = /^[A-Z][A-Z0-9_]+$/.test(name)
  if (PASSWORDS.has(last)) return name === 'PWD' || name === 'OLDPWD' ? null : 'password'
  if (JOINED_PASSWORD.test(last) || isOwnersPass(last)) return 'password'
  if (name === '_auth') return 'certain'
  if (CERTAIN.has(kind + last) || CERTAIN.has(last)) return 'certain'
  if (HARMLESS_KINDS.has(kind)) return null
  if (last === 'pass' || last === 'pw') return passName(kind, last, isEnvironmentName)
  if (last === 'data') return kind === 'key' ? 'likely' : null
  if (last === 'key') return kind ? 'likely' : null
  if (JOINED_SECRET.test(last)) return 'likely'
  if (!LIKELY.has(last)) return null
  return isEnvironmentName && (last === 'token' || last === 'secret') ? 'certain' : 'likely'
}

function isOwnersPass(word: string): boolean {
  const owner = /^(.+)(?:pass|pwd|pw)$/.exec(word)?.[1]
  return owner !== undefined && OWNERS.has(owner)
}

function passName(kind: string, last: 'pass' | 'pw', isEnvironmentName: boolean): SecretName | null {
  if (kind) return isEnvironmentName || OWNERS.has(kind) ? 'password' : null
  return last === 'pass' ? 'likely' : null
}

function wordsOf(name: string): string[] {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]/)
    .map((word) => word.replace(/(?<=[a-z])\d{1,3}$/, ''))
    .filter((word) => word !== '' && !/^\d/.test(word))
  while (words.length > 1 && SUFFIXES.has(words.at(-1)!)) words.pop()
  return words
}
