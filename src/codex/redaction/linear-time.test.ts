// Ten times the text may take about ten times as long, whatever it is made of.
import { expect, it } from 'vitest'
import { redact, redactJsonLine } from './index.ts'
import { TOKEN_FAMILIES } from './token-families.ts'

const SMALL = 100_000
const LARGE = 1_000_000
/** Ten is linear, a hundred quadratic; the rest is for a busy machine. */
const MAX_RATIO = 25
/** Below this a clock tells nothing. */
const MIN_MS = 60

const PREFIXES = TOKEN_FAMILIES.flatMap(({ prefixes }) => prefixes)
const UNITS: readonly string[] = [
  ...PREFIXES,
  ...PREFIXES.map((prefix) => `-${prefix}`),
  ...PREFIXES.map((prefix) => `${prefix}aB3`),
  ...PREFIXES.map((prefix) => `${prefix}aB3aB3aB3aB3aB3aB3aB3aB3 `),
  ...['token', 'secret', 'password', 'pwd', 'API_KEY', 'a_key', 'credential', 'DB_PASS'].flatMap((word) =>
    ['', '=', ': ', '="', "='", '=\\"', '\\":\\"', ' = ', '-', '_', '.', '?', '&', ';'].flatMap((end) => [
      word + end,
      `?${word}${end}`,
      `--${word}${end}`,
      `${word}${end}a.`,
    ]),
  ),
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

function milliseconds(work: () => void): number {
  const start = performance.now()
  work()
  return performance.now() - start
}

/** The best of a few: what the text costs, not what the machine was busy with. */
function cost(work: (text: string) => string, unit: string, size: number): number {
  const text = unit.repeat(Math.ceil(size / unit.length))
  let best = milliseconds(() => work(text))
  for (let run = 0; run < 3 && best > MIN_MS / 10; run++)
    best = Math.min(
      best,
      milliseconds(() => work(text)),
    )
  return best
}

function isLinear(work: (text: string) => string, unit: string): boolean {
  const large = cost(work, unit, LARGE)
  return large < MIN_MS || large / cost(work, unit, SMALL) <= MAX_RATIO
}

it('a text of one piece repeated takes time in proportion to its length', { timeout: 180_000 }, () => {
  expect(UNITS.filter((unit) => !isLinear(redact, unit))).toEqual([])
})

it('and so it does after a text that has none, and inside JSON', { timeout: 180_000 }, () => {
  const asJson = (text: string) => redactJsonLine(`{"a":${JSON.stringify(text)}}`)
  const samples = UNITS.filter((_, index) => index % 5 === 0)
  expect(samples.filter((unit) => !isLinear(asJson, unit))).toEqual([])
})
