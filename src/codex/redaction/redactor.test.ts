import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  createRedactor,
  RedactingStream,
  redact,
  redactJsonLine,
  redactValue,
  registerSecrets,
} from './index.ts'

const ALNUM = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789']
const HEX = [...'0123456789abcdef']

function run(alphabet: readonly string[], length: number): fc.Arbitrary<string> {
  return fc
    .array(fc.constantFrom(...alphabet), { minLength: length, maxLength: length })
    .map((characters) => characters.join(''))
}

/** A secret, and how it is written; `part` must not come through. */
function planted(part: fc.Arbitrary<string>, write: (part: string) => string) {
  return part.map((secret) => ({ secret, text: write(secret) }))
}

const SECRETS = fc.oneof(
  ...['ghp_', 'gho_', 'npm_', 'AIza', 'github_pat_'].map((prefix) =>
    planted(run(ALNUM, 36), (part) => prefix + part),
  ),
  ...['hf_', 'r8_', 'gsk_', 'sk_live_', 'rk_live_'].map((prefix) =>
    planted(run(ALNUM, 32), (part) => prefix + part),
  ),
  ...['sk-', 'sk-proj-', 'sk-ant-api03-', 'glpat-', 'xoxb-', 'hvs.', 'xai-'].map((prefix) =>
    planted(run(ALNUM, 40), (part) => `${prefix}7${part}`),
  ),
  ...['dop_v1_', 'shpat_'].map((prefix) => planted(run(HEX, 64), (part) => prefix + part)),
  planted(run(ALNUM, 30), (part) => `SG.${part}.${part}`),
  planted(run(ALNUM, 30), (part) => `eyJhbGciOiJIUzI1NiJ9.${part}.${part}`),
  planted(run(ALNUM, 33), (part) => `123456789:AA${part}`),
  planted(run(ALNUM, 24), (part) => `Authorization: Bearer 1${part}`),
  planted(run(ALNUM, 12), (part) => `https://user:${part}@host/`),
  planted(run(ALNUM, 12), (part) => `https://host/?access_token=${part}`),
  planted(run(ALNUM, 12), (part) => `Cookie: sid=1${part}`),
  planted(run(ALNUM, 12), (part) => `DB_PASSWORD='${part}!'`),
  planted(run(ALNUM, 12), (part) => `{"client_secret": "${part}!"}`),
  planted(run(ALNUM, 64), (part) => `-----BEGIN PRIVATE KEY-----\n${part}\n-----END PRIVATE KEY-----`),
)

/** What may stand around a secret: anything that does not run into it. */
const anyText = fc.oneof(
  fc.lorem({ maxCount: 8 }),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom(
    '',
    'const token = getToken()',
    '{"tokens":12}',
    '"password"',
    'https://example.com',
    '\\n',
    'Bearer',
    '=',
  ),
)
/** Pieces of what the patterns look for, in any order. */
const anyNoise = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...'token secret password PASSWORD API_KEY cookie: set-cookie authorization: bearer basic sk- ghp_ eyJ :// @ : = " \' \\ ` ? & ; , . … *** ( ) { } [ ] a1b2c3d4e5f6a7b8c9 hunter2 -----BEGIN -----END PRIVATE KEY-----'.split(
          ' ',
        ),
        ' ',
        '\n',
        '\\n',
        '\x1b[31m',
        ': ',
        '="',
        "='",
        '-----BEGIN RSA PRIVATE KEY-----\n',
      ),
      fc.string({ maxLength: 5 }),
      SECRETS.map(({ text }) => text),
    ),
    { maxLength: 25 },
  )
  .map((pieces) => pieces.join(''))

describe('for any text', () => {
  it('no planted secret comes through', () => {
    fc.assert(
      fc.property(anyText, SECRETS, anyText, (before, { text, secret }, after) => {
        const whole = `${before}\n${text}\n${after}`
        expect(redact(whole)).not.toContain(secret)
        expect(redactJsonLine(JSON.stringify({ a: [whole] }))).not.toContain(secret)
        expect(JSON.stringify(redactValue({ a: [whole] }))).not.toContain(secret)
      }),
      { numRuns: 3000 },
    )
  })

  it('redacting again changes nothing', () => {
    fc.assert(
      fc.property(anyNoise, (text) => {
        const once = redact(text)
        expect(redact(once)).toBe(once)
      }),
      { numRuns: 5000 },
    )
  })

  it('in pieces gives the same as at once', () => {
    fc.assert(
      fc.property(anyNoise, fc.array(fc.nat(20), { minLength: 1 }), (text, sizes) => {
        const stream = new RedactingStream(redact)
        let result = ''
        for (let at = 0, turn = 0; at < text.length; turn++) {
          const size = 1 + sizes[turn % sizes.length]!
          result += stream.push(text.slice(at, at + size))
          at += size
        }
        expect(result + stream.end()).toBe(redact(text))
      }),
      { numRuns: 2000 },
    )
  })
})

const NAMES = [
  'password',
  'access_token',
  'apiKey',
  'token',
  'authorization',
  'set-cookie',
  'text',
  'tokenUsage',
]
const anyJson = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, 0, -1.5, 1e21),
    fc.integer(),
    anyNoise,
    anyText,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...NAMES), fc.string()), tie('value'), { maxKeys: 5 }),
  ),
})).value

/** The value without the content of its strings. */
function shapeOf(value: unknown): unknown {
  if (typeof value === 'string') return 'text'
  if (Array.isArray(value)) return value.map(shapeOf)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value).map(([key, field]) => [key, shapeOf(field)])
}

describe('for any JSON', () => {
  it('the shape, the names and everything but strings stay', () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        expect(shapeOf(redactValue(value))).toEqual(shapeOf(value))
      }),
    )
  })

  it('a line is redacted like its value', () => {
    fc.assert(
      fc.property(anyJson, fc.constantFrom(undefined, 2), (value, indent) => {
        const raw = JSON.stringify(value, null, indent)
        const line = redactJsonLine(raw)
        expect(JSON.stringify(JSON.parse(line))).toBe(JSON.stringify(redactValue(JSON.parse(raw))))
        expect(redactJsonLine(line)).toBe(line)
      }),
      { numRuns: 1000 },
    )
  })

  it('nothing is copied when there is nothing to hide', () => {
    const frame = { method: 'item/agentMessage/delta', params: { delta: 'the token count', list: [1, 'a'] } }
    expect(redactValue(frame)).toBe(frame)
    const raw = JSON.stringify(frame)
    expect(redactJsonLine(raw)).toBe(raw)
  })
})

describe('a JSON line', () => {
  it('keeps numbers, spaces and escapes it need not touch', () => {
    expect(redactJsonLine('{ "id": 12345678901234567890, "x": 1.0, "e": "\\u00e9", "password": "x" }')).toBe(
      '{ "id": 12345678901234567890, "x": 1.0, "e": "\\u00e9", "password": "***" }',
    )
  })

  it('is looked at even where letters are escaped', () => {
    expect(
      redactJsonLine('{"p\\u0061ssword":"x","b":"\\u0067hp_0123456789abcdef0123456789abcdef0123"}'),
    ).toBe('{"p\\u0061ssword":"***","b":"ghp_…0123"}')
  })

  it('that is no JSON is redacted as text', () => {
    expect(redactJsonLine('PASSWORD=hunter2 {')).toBe('PASSWORD=*** {')
  })

  it('gives the name of a list to what is in it', () => {
    expect(redactJsonLine('{"set-cookie":["a=b; Path=/",{"text":"c=d"}],"n":["a=b"]}')).toBe(
      '{"set-cookie":["a=***; Path=/",{"text":"c=d"}],"n":["a=b"]}',
    )
  })

  it('may be nested without end', () => {
    const raw = `${'[{"a":'.repeat(20_000)}{"password":"x"}${'}]'.repeat(20_000)}`
    expect(redactJsonLine(raw)).toBe(raw.replace('"x"', '"***"'))
    expect(() => redactValue(JSON.parse(raw))).not.toThrow()
  })
})

describe('known secrets', () => {
  const { redact, redactJsonLine, redactValue } = createRedactor({
    secrets: ['open sesame', 'a"b\\c/d?e', 'abc'],
  })

  it('are hidden wherever they stand', () => {
    expect(redact('xopen sesamex')).toBe('x***x')
    expect(redactValue({ a: ['open sesame'] })).toEqual({ a: ['***'] })
    expect(redactJsonLine('{"a":"open sesame"}')).toBe('{"a":"***"}')
  })

  it('are hidden as JSON and URLs write them', () => {
    expect(redact(JSON.stringify(['a"b\\c/d?e']))).toBe('["***"]')
    expect(redactJsonLine(JSON.stringify(['a"b\\c/d?e']))).toBe('["***"]')
    expect(redact(`?q=${encodeURIComponent('a"b\\c/d?e')}`)).toBe('?q=***')
  })

  it('too short to tell from a word are ignored', () => {
    expect(redact('abc')).toBe('abc')
  })
})

describe('a stream', () => {
  it('holds a private key until it is whole', () => {
    const stream = new RedactingStream(redact)
    const key = `-----BEGIN PRIVATE KEY-----\n${'A1b2'.repeat(16)}\n-----END PRIVATE KEY-----\n`
    const pieces = key.split(/(?<=\n)/).map((line) => stream.push(line))
    expect(pieces.join('')).toBe('-----BEGIN PRIVATE KEY-----***-----END PRIVATE KEY-----\n')
    expect(pieces.slice(0, -1).join('')).toBe('')
  })

  it('does not hold back for ever', () => {
    const stream = new RedactingStream(redact)
    expect(stream.push('word '.repeat(20_000)).length).toBe(100_000)
  })
})

it('takes values of the environment as they are, set or not', () => {
  const { redact } = createRedactor({ secrets: [undefined, '', 'purple-monkey'] })
  expect(redact('undefined is the purple-monkey')).not.toContain('purple-monkey')
  expect(redact('undefined behaviour')).toBe('undefined behaviour')
  const stop = registerSecrets([undefined, 'green-donkey'])
  expect(redact('the green-donkey')).not.toContain('green-donkey')
  stop()
  expect(redact('the green-donkey')).toBe('the green-donkey')
})
