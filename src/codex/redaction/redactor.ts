import { assignmentSpans, QUERY_SIGNATURE } from './assignment-spans.ts'
import { COMMAND, commandSpans } from './command-spans.ts'
import {
  authorizationSpans,
  basicSpans,
  bearerSpans,
  cookieSpans,
  isBasicCredential,
} from './header-spans.ts'
import { redactJson } from './json-text.ts'
import { redactStrings } from './json-value.ts'
import { knownSecrets, registeredSecrets, unfinishedEnd } from './known-secrets.ts'
import { mask } from './mask.ts'
import { PRIVATE_KEY_BEGIN, privateKeySpans } from './private-key-spans.ts'
import { HASH_SIGN, hashSpans, identifiedSpans, PGPASS_SIGN, pgpassSpans } from './record-spans.ts'
import { secretName } from './secret-name.ts'
import { isSecretValue } from './secret-value.ts'
import { hide, type Look, scan } from './span.ts'
import { PREFIX_SIGNS } from './token-families.ts'
import { DISCORD_TOKEN, discordSpans, tokenSpans } from './token-spans.ts'
import { curlSpans, urlSpans } from './url-spans.ts'

export interface RedactorOptions {
  /**
   * Values to hide wherever they stand, whatever they look like. Those under 4 characters are ignored, and so are
   * variables of the environment that are not set.
   */
  readonly secrets?: readonly (string | undefined)[]
}

/** Hides secrets. Every method returns what it was given, the very same object, when there is nothing to hide. */
export interface Redactor {
  readonly redact: (text: string) => string
  /** The same shape, with secrets hidden in its strings. Names of fields count, and stay. */
  readonly redactValue: <Value>(value: Value) => Value
  /** For a text that is JSON: stays JSON of the same shape, byte for byte outside the strings that changed. */
  readonly redactJsonLine: (raw: string) => string
  /** How many characters at the end of a text that goes on may be the beginning of a known secret with spaces in it. */
  readonly unfinishedEnd: (text: string) => number
}

// A few scans find every place worth a look; ordinary text has none. Signs are exact, words come in any case.
// A word takes the rest of its name with it, so that a long name is looked at once.
const WORDS =
  /(?:token|secret|pass(?:[wpc]|(?=["'`\]\\ \t:=>_]))|_pw(?=["'`\]\\ \t:=])|pwd|credential|key(?=["'`\]\\ \t:=>_]|-data)|_auth(?=["'`\]\\ \t:=]))[A-Za-z0-9_.-]{0,64}|authorization|(?<=["'])auth(?=\\{0,3}["'])|bearer|basic|cookie|identified(?= +(?:by|with))/gi
const OTHER_SIGNS = `:\\/\\/|${PRIVATE_KEY_BEGIN}| -u|--user|${HASH_SIGN}|${PGPASS_SIGN}`

/** Printable ASCII written as an escape could hide any of the above from a look at the raw text. */
const ESCAPED_ASCII = /\\u00[2-7]/

const lookAtSign: Look = (text, at, found) => {
  switch (found) {
    case '://':
      return urlSpans(text, at)
    case PRIVATE_KEY_BEGIN:
      return privateKeySpans(text, at)
    case ' -u':
    case '--user':
      return curlSpans(text, at, found)
    default:
      if (found.startsWith('$') || found.startsWith('{')) return hashSpans(text, at, found)
      if (found.startsWith(':') && found.endsWith(':')) return pgpassSpans(text, at, found)
      return tokenSpans(text, at, found)
  }
}

const lookAtWord: Look = (text, at, found) => {
  switch (found.toLowerCase()) {
    case 'authorization':
      return authorizationSpans(text, at, found)
    case 'bearer':
      return bearerSpans(text, at, found)
    case 'basic':
      return basicSpans(text, at, found)
    case 'cookie':
      return cookieSpans(text, at, found)
    case 'identified':
      return identifiedSpans(text, at, found)
    default:
      return assignmentSpans(text, at, found)
  }
}

interface Scan {
  readonly pattern: RegExp
  readonly look: Look
}

const SCANS: readonly Scan[] = [
  { pattern: new RegExp(PREFIX_SIGNS[0]!, 'g'), look: tokenSpans },
  { pattern: new RegExp(`${PREFIX_SIGNS[1]}|${OTHER_SIGNS}`, 'g'), look: lookAtSign },
  { pattern: DISCORD_TOKEN, look: discordSpans },
  { pattern: QUERY_SIGNATURE, look: (text, at, found) => assignmentSpans(text, at + 1, found.slice(1, -1)) },
  { pattern: WORDS, look: lookAtWord },
  { pattern: COMMAND, look: commandSpans },
]

export function createRedactor(options: RedactorOptions = {}): Redactor {
  const known = knownSecrets(options.secrets ?? [])
  const own: readonly Scan[] = known.pattern ? [{ pattern: known.pattern, look: lookAtKnown }] : []
  let registered: unknown = null
  let knownScans = own
  let allScans: readonly Scan[] = SCANS

  function update(): void {
    const now = registeredSecrets()
    if (now === registered) return
    registered = now
    knownScans = now.pattern ? [...own, { pattern: now.pattern, look: lookAtKnown }] : own
    allScans = [...SCANS, ...knownScans]
  }

  /** Hiding one secret can lay bare another that was grown together with it, so it looks again until all is quiet. */
  function redact(text: string): string {
    let result = text
    update()
    // A delta is mostly a word or two.
    const looks = text.length <= MAX_PLAIN && PLAIN.test(text) ? knownScans : allScans
    for (let pass = 0; pass < MAX_PASSES; pass++) {
      const spans = looks.flatMap(({ pattern, look }) => scan(result, pattern, look))
      if (spans.length === 0) break
      result = hide(result, spans)
    }
    return result
  }

  function redactField(text: string, name: string | null): string {
    if (name === null || name.length > MAX_NAME) return redact(text)
    const kind = secretName(name)
    if (kind && isSecretValue(text, kind, 'quoted')) return mask(text)
    if (name === 'auth' && isBasicCredential(text)) return mask(text)
    const header = HEADER_NAME.exec(name)?.[0]
    return header === undefined ? redact(text) : redact(`${header}: ${text}`).slice(header.length + 2)
  }

  return {
    redact,
    redactValue: (value) => redactStrings(value, redactField) as typeof value,
    redactJsonLine(raw) {
      update()
      if (!ESCAPED_ASCII.test(raw) && allScans.every(({ pattern }) => raw.search(pattern) === -1)) return raw
      return isJson(raw) ? redactJson(raw, redactField) : redact(raw)
    },
    unfinishedEnd: (text) =>
      Math.max(unfinishedEnd(text, known.spaced), unfinishedEnd(text, registeredSecrets().spaced)),
  }
}

const MAX_NAME = 128
const MAX_PASSES = 5
/** So few small letters hold no secret but a known one. */
const MAX_PLAIN = 16
const PLAIN = /^[a-z ,.]*\n?$/
const HEADER_NAME = /(?:authorization|cookie)$/i

const lookAtKnown: Look = (_, start, found) => [{ start, end: start + found.length, mask: mask(found) }]

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
