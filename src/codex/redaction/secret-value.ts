// Whether a value is something to hide. A name alone does not tell: `token = getToken()` hides nothing.
import { isMask } from './mask.ts'
import { type SecretName, secretName } from './secret-name.ts'

/** How a value was written beside its name. */
export type Writing =
  /** In quotes, or a JSON string: a value, never code. */
  | 'quoted'
  /** `NAME=value`, as shells, dotenv and URL queries have it. */
  | 'assigned'
  /** Anything else, so it may be code or prose. */
  | 'loose'

const KEYWORDS = new Set(
  'true false null none nil undefined string number boolean str int float bool bytes any object unknown never void required optional secret password token inherit await new yes no on off n/a'.split(
    ' ',
  ),
)
/** Shell and template variables, placeholders, files (`@path`), format verbs. */
const REFERENCE = /^(?:[$<{@]|%[A-Za-z_]{1,64}%?$)/
const PATH = /^(?:~|\.{1,2}|[A-Za-z]:)?[\\/][\w.@ -]{1,255}[\\/][\w.@ \\/-]{0,1024}$|^(?:~|\.{1,2})\//

/** `privateKey: T2` is a type. */
const MIN_LOOSE = 6

/** Not empty, not masked already, not a reference to a secret kept elsewhere. */
export function isHidable(value: string): boolean {
  return /[\p{L}\p{N}]/u.test(value) && !REFERENCE.test(value) && !isMask(value)
}

export function isSecretValue(value: string, name: SecretName, writing: Writing): boolean {
  if (!isHidable(value) || KEYWORDS.has(value.toLowerCase()) || isAddress(value)) return false
  if (name === 'likely') return looksRandom(value)
  if (writing === 'quoted') return true
  if (value.includes('(')) return false
  if (/^\d+$/.test(value)) return name === 'password' && writing === 'assigned'
  if (writing === 'assigned') return true
  if (looksRandom(value)) return true
  const isLongEnough = name === 'password' || value.length >= MIN_LOOSE
  return isLongEnough && !isCode(value) && /[\d!@#%^*+=~?]/.test(value)
}

/** Long, of one piece, letters and digits mixed as nobody writes them. */
export function looksRandom(value: string): boolean {
  if (value.length < 12 || !/^[A-Za-z0-9_+/=.~:-]+$/.test(value) || /^\d{4}-\d\d-\d\d/.test(value))
    return false
  const changes = value.slice(0, 256).match(/[A-Za-z](?=\d)|\d(?=[A-Za-z])/g)?.length ?? 0
  const mixesAll = /[a-z]/.test(value) && /[A-Z]/.test(value) && /\d/.test(value)
  return changes >= 2 || (value.length >= 20 && mixesAll)
}

function isAddress(value: string): boolean {
  return PATH.test(value) || /^[a-z][a-z0-9+.-]{1,20}:\/\//i.test(value)
}

/** `user?.password`, `!secret`, `config.apiKey`, and the like. One word with a digit is rather a password. */
function isCode(value: string): boolean {
  const names = value.replace(/^[!*&~+-]{1,2}/, '').split(/\?\.|\.|->|::/)
  if (!names.every((name) => /^[A-Za-z_$][\w$]*[!?]?$/.test(name))) return false
  return names.length > 1 || !/\d/.test(value) || secretName(value) !== null
}
