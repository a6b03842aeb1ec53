// Ten times the text may take about ten times as long, whatever it is made of: as long as ten texts.
import { expect, it } from 'vitest'
import { RedactingStream, redact, redactJsonLine } from './index.ts'
import { TOKEN_FAMILIES } from './token-families.ts'

const SMALL = 20_000
const TIMES = 10
/** One is linear, ten quadratic; the rest is for garbage collection and cold caches. */
const MAX_RATIO = 3
/** Below this a clock tells nothing. */
const MIN_MS = 10

/** One of each family, alone and with the beginning of a body. */
const PREFIXES = TOKEN_FAMILIES.map(({ prefixes }) => prefixes[0]!)
const UNITS: readonly string[] = [
  ...PREFIXES,
  ...PREFIXES.filter((_, index) => index % 3 === 0).map((prefix) => `-${prefix}aB3`),
  ...['token', 'password', 'API_KEY'].flatMap((word) =>
    ['', '=', ': ', '="', "=\\'", '\\":\\"', '-', '?'].map((end) => word + end),
  ),
  ...['?token=', '&token=a&', '--token=', '--password ', 'a_key=a.', 'DB_PASS=', 'secret = x.y', 'pwd'],
  ...['cookie', 'cookie:', 'cookie:a=', 'cookie: a=b; ', 'cookie:a=b;path=/;', '--cookie '],
  ...[
    'authorization',
    'authorization:',
    'authorization: digest ',
    'authorization: bearer ',
    'authorization:a',
  ],
  ...['bearer', 'bearer ', 'bearer a1', 'basic', 'basic ', 'basic YTpi', 'basic YTpiYTpi'],
  ...['://', '://a', '://a:', '://a:b@', '://:@', 'a@', '@', 'curl -u a:', 'curl -u ', ' -u', '--user'],
  ...[
    'sshpass ',
    'docker login ',
    'mysql -',
    'htpasswd -b a ',
    'zip ',
    ':5432:',
    'a:5432:b:c:',
    '$2y$',
    '{SHA}a',
  ],
  ...[
    'identified by ',
    "identified by '",
    'password ',
    "PASSWORD '",
    '<password>',
    '<password>a</',
    'key="password">',
  ],
  ...[
    'name: a_password',
    'login a password ',
    '<key>password</key>',
    '--password", "',
    '_auth=',
    'client-key-data',
  ],
  ...['?sig=', '&sig=a', '&amp;sig=', '&auth=a1', '?'],
  ...['-----BEGIN', '-----BEGIN RSA PRIVATE KEY-----', '-----BEGIN PRIVATE KEY-----A', '-----', '-----END'],
  ...[
    'M',
    'MTA4NjY2NzI4OTEyMzQ1Njc4.',
    'MTA4NjY2NzI4OTEyMzQ1Njc4.GabcDE.',
    'a.',
    'M.',
    'eyJaaaaaaaaa.',
    'eyJa.b',
  ],
  ...[
    'a',
    'A',
    '0',
    ' ',
    '\n',
    '\\',
    '"',
    "'",
    '\\"',
    '=',
    ':',
    '-',
    '_',
    '.',
    '/',
    '\x1b[',
    '%41',
    'é',
    '😀',
  ],
]

/** Of this thread on a processor: time spent waiting for one does not count. */
function milliseconds(work: () => void): number {
  const start = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(start)
  return (user + system) / 1000
}

/** Asks again when the answer is no: a collection of garbage may have fallen into the larger one. */
function isLinear(work: (text: string) => string, unit: string, asks = 3): boolean {
  const small = unit.repeat(Math.ceil(SMALL / unit.length))
  const large = small.repeat(TIMES)
  const largeMs = milliseconds(() => work(large))
  if (largeMs < MIN_MS) return true
  const piecesMs = milliseconds(() => {
    for (let time = 0; time < TIMES; time++) work(small)
  })
  return largeMs / piecesMs <= MAX_RATIO || (asks > 1 && isLinear(work, unit, asks - 1))
}

it('a text of one piece repeated takes time in proportion to its length', { timeout: 180_000 }, () => {
  expect(UNITS.filter((unit) => !isLinear(redact, unit))).toEqual([])
})

it('and so does a JSON line', { timeout: 180_000 }, () => {
  const asJson = (text: string) => redactJsonLine(`{"a":${JSON.stringify(text)}}`)
  const samples = UNITS.filter((_, index) => index % 8 === 0)
  expect(samples.filter((unit) => !isLinear(asJson, unit))).toEqual([])
})

it('and so does a text that comes in pieces', { timeout: 180_000 }, () => {
  const inPieces = (text: string) => {
    const stream = new RedactingStream(redact)
    for (let at = 0; at < text.length; at += 100) stream.push(text.slice(at, at + 100))
    return stream.end()
  }
  const samples = [
    'x',
    '0123456789',
    'aB3+/zQ9',
    'word ',
    'a=b&',
    '\n',
    'key ',
    'token: x\n',
    'login x\n',
    'docker ',
  ]
  expect(samples.filter((unit) => !isLinear(inPieces, unit))).toEqual([])
  const atOnce = (text: string) => new RedactingStream(redact).push(`a ${text} b`)
  expect(isLinear(atOnce, 'x')).toBe(true)
})
