// Tokens that show by their first characters whose they are. A family is a few literal prefixes and what must follow.
// Every `body` is one run, or a few runs of bounded length, so that looking at a place costs no more than what is there.

export interface TokenFamily {
  readonly prefixes: readonly string[]
  readonly body: RegExp
  /** Words can look like this family: at least a digit or both cases must occur. */
  readonly wordlike?: true
  /** The token begins before its telling part: how, ending right before the prefix. */
  readonly before?: RegExp
  /** Nothing of the run it stands in may come before it. */
  readonly startsRun?: true
}

const NOT_LONGER = '(?![A-Za-z0-9_-])'
const words = (list: string, form: (word: string) => string) => list.split(' ').map(form)

export const TOKEN_FAMILIES: readonly TokenFamily[] = [
  {
    prefixes: ['sk-', ...words('proj svcacct admin None ant or lf', (kind) => `sk-${kind}-`), 'csk-'],
    body: /[A-Za-z0-9_-]{20,}/y,
    wordlike: true,
  },
  { prefixes: words('ghp gho ghu ghs ghr', (kind) => `${kind}_`), body: /[A-Za-z0-9_]{30,}/y },
  { prefixes: ['github_pat_'], body: /[A-Za-z0-9_]{30,}/y },
  {
    prefixes: words(
      'glpat glptt gldt glrt glcbt glft glsoat glagent gloas glimt glffct glwt',
      (kind) => `${kind}-`,
    ),
    body: /[A-Za-z0-9_.-]{20,}/y,
    wordlike: true,
  },
  { prefixes: ['GR1348941'], body: /[A-Za-z0-9_-]{20,}/y },
  {
    prefixes: [...words('xoxa xoxb xoxe xoxo xoxp xoxr xoxs xapp', (kind) => `${kind}-`), 'xoxe.xoxp-'],
    body: /[A-Za-z0-9-]{10,}/y,
    wordlike: true,
  },
  {
    prefixes: ['hooks.slack.com/services/', 'hooks.slack.com/workflows/'],
    body: /[A-Z0-9]{8,16}\/[A-Z0-9]{8,16}\/[A-Za-z0-9]{16,64}/y,
  },
  {
    prefixes: ['discord.com/api/webhooks/', 'discordapp.com/api/webhooks/'],
    body: /\d{15,20}\/[A-Za-z0-9_-]{30,100}/y,
  },
  { prefixes: ['AKIA', 'ASIA', 'ABIA', 'ACCA'], body: new RegExp(`[0-9A-Z]{16}${NOT_LONGER}`, 'y') },
  { prefixes: ['AIza'], body: /[A-Za-z0-9_-]{35,}/y },
  { prefixes: ['ya29.', 'GOCSPX-'], body: /[A-Za-z0-9_-]{20,}/y },
  { prefixes: ['1//'], body: /0[A-Za-z0-9_-]{30,}/y },
  {
    prefixes: words('sk_live sk_test rk_live rk_test', (kind) => `${kind}_`),
    body: /[A-Za-z0-9]{16,}/y,
  },
  { prefixes: ['whsec_'], body: /[A-Za-z0-9+/=]{20,}/y },
  { prefixes: ['npm_'], body: /[A-Za-z0-9]{36,}/y },
  { prefixes: ['pypi-'], body: /[A-Za-z0-9_-]{50,}/y },
  { prefixes: ['rubygems_'], body: /[0-9a-f]{48}/y },
  { prefixes: ['dckr_pat_', 'dckr_oat_'], body: /[A-Za-z0-9_-]{20,}/y },
  { prefixes: ['hf_', 'r8_', 'gsk_', 'fw_'], body: /[A-Za-z0-9]{22,}/y },
  { prefixes: ['pplx-', 'tvly-', 'xai-'], body: /[A-Za-z0-9-]{24,}/y, wordlike: true },
  { prefixes: ['SG.'], body: /[A-Za-z0-9_-]{16,80}\.[A-Za-z0-9_-]{16,80}/y },
  { prefixes: ['SK'], body: new RegExp(`[0-9a-f]{32}${NOT_LONGER}`, 'y') },
  { prefixes: ['dop_v1_', 'doo_v1_', 'dor_v1_'], body: /[0-9a-f]{40,}/y },
  { prefixes: ['dapi'], body: new RegExp(`[0-9a-f]{32}(?:-\\d)?${NOT_LONGER}`, 'y') },
  { prefixes: words('shpat shpca shppa shpss', (kind) => `${kind}_`), body: /[0-9a-fA-F]{32}/y },
  { prefixes: ['lin_api_', 'ntn_', 'figd_', 'nfp_', 'sbp_', 'sb_secret_'], body: /[A-Za-z0-9_-]{30,}/y },
  { prefixes: ['glsa_', 'glc_', 'sntrys_', 'sntryu_'], body: /[A-Za-z0-9_+/=]{32,}/y },
  { prefixes: ['pscale_tkn_', 'pscale_pw_', 'pscale_oauth_'], body: /[A-Za-z0-9_.-]{30,}/y },
  { prefixes: ['dp.pt.', 'dp.st.', 'dp.ct.', 'hvs.', 'hvb.'], body: /[A-Za-z0-9_.-]{24,}/y, wordlike: true },
  { prefixes: ['ATATT3x', 'ATCTT3x', 'ATBB'], body: /[A-Za-z0-9_=-]{24,}/y },
  { prefixes: ['PMAK-', 'NRAK-', 'xkeysib-', 'sq0atp-', 'sq0csp-'], body: /[A-Za-z0-9_-]{22,}/y },
  { prefixes: ['AGE-SECRET-KEY-'], body: /1[0-9A-Z]{50,}/y },
  { prefixes: ['ops_'], body: /eyJ[A-Za-z0-9_-]{100,}/y },
  {
    // JSON Web Tokens: three parts signed, five encrypted, two unsigned.
    prefixes: ['eyJ'],
    body: /[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?(?:\.[A-Za-z0-9_-]*)?(?:\.[A-Za-z0-9_-]*)?/y,
    startsRun: true,
  },
  {
    // A private key as PEM in base64, as kubeconfigs and CI variables have it.
    prefixes: ['LS0tLS1CRUdJTiB'],
    body: /(?:QUklWQVRF|SU0EgUFJJVkFURS|FQyBQUklWQVRF|PUEVOU1NIIFBSSVZBVE|EU0EgUFJJVkFURS|FTkNSWVBURUQgUFJJVkFURS)[A-Za-z0-9+/=]{16,}/y,
  },
  // Telegram: <bot number>:AA…
  { prefixes: [':AA'], before: /[0-9]{6,12}$/, body: new RegExp(`[A-Za-z0-9_-]{32,34}${NOT_LONGER}`, 'y') },
  // Azure client secrets: three characters, a digit, Q~
  {
    prefixes: ['7Q~', '8Q~'],
    before: /[A-Za-z0-9_~.-]{3}$/,
    body: /[A-Za-z0-9_~.-]{31,34}/y,
  },
]

const PREFIXES = TOKEN_FAMILIES.flatMap(({ prefixes }) => prefixes).toSorted((a, b) => b.length - a.length)
const FAMILY_OF = new Map(
  TOKEN_FAMILIES.flatMap((family) => family.prefixes.map((prefix) => [prefix, family])),
)
const LEADING_PREFIX = new RegExp(`^(?:${alternatives(PREFIXES)})`)

// Most prefixes end in one of four characters that are rare in text. Looking for those first, and only there back at
// what comes before, is several times faster than looking everywhere for ninety words.
const ENDS = ['-', '_', '.', '/']
const endingIn = (end: string) =>
  PREFIXES.filter((prefix) => prefix.endsWith(end)).map((prefix) => prefix.slice(0, -1))

/** Matches the last character of every prefix, or the whole of one that ends in another. */
export const PREFIX_SIGNS: readonly string[] = [
  ENDS.map((end) => `(?<=${alternatives(endingIn(end))})${escapePattern(end)}`).join('|'),
  alternatives(PREFIXES.filter((prefix) => !ENDS.some((end) => prefix.endsWith(end)))),
]

const BY_ENDING = Map.groupBy(PREFIXES, (prefix) => prefix.slice(-2))

/** The longest prefix that ends at `end`. */
export function prefixBefore(text: string, end: number): string | undefined {
  const candidates = BY_ENDING.get(text.slice(Math.max(0, end - 2), end))
  return candidates?.find((prefix) => prefix.length <= end && text.startsWith(prefix, end - prefix.length))
}

export function familyOf(prefix: string): TokenFamily | undefined {
  return FAMILY_OF.get(prefix)
}

/** The part of a token that may be shown, or nothing. */
export function knownPrefix(token: string): string {
  return LEADING_PREFIX.exec(token)?.[0] ?? ''
}

function alternatives(texts: readonly string[]): string {
  return texts.map(escapePattern).join('|')
}

export function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}
