import fc from 'fast-check'
import { parse } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { MESSY_CONFIG } from '../fixtures/messy-config.ts'
import { applyImport, type ImportChange } from './apply-import.ts'
import type { ServerTable } from './block-contents.ts'
import { END, START, withBlock, withoutBlock } from './managed-block.ts'

const change = (
  servers: Readonly<Record<string, ServerTable>>,
  more: Partial<ImportChange> = {},
): ImportChange => ({
  from: new Set(['x']),
  permissions: null,
  servers: new Map(Object.entries(servers).map(([name, table]) => [name, { from: 'x', table }])),
  plugins: new Map(),
  hasPlugins: false,
  ...more,
})

/** Pieces of TOML that can stand in any order after each other, with one name each. */
const piece = (index: number) =>
  fc.constantFrom(
    `key${index} = ${index}`,
    `key${index}.dotted."a b" = 'x' # why`,
    `# a comment ${index}`,
    '',
    '   ',
    `text${index} = """\n[no.table]\n# no comment\n${START}\n"""`,
    `list${index} = [\n  1, # one\n  [2],\n]`,
    `inline${index} = { a = 1, b = { c = [] } }`,
    `[table${index}]\nx = 1`,
    `  [ table${index} . "sub.x" ]   # header\n\ty = '''\nz'''`,
    `[[many${index}]]\nx = ${index}`,
    `[mcp_servers.own${index}]\ncommand = "own"`,
    `# above a table\n[mcp_servers."own.${index}"]\ncommand = "own"`,
  )

const config = fc
  .tuple(
    fc
      .integer({ min: 0, max: 12 })
      .chain((size) => fc.tuple(...Array.from({ length: size }, (_, index) => piece(index)))),
    fc.constantFrom('\n', '\r\n'),
    fc.boolean(),
    fc.constantFrom('', '\uFEFF'),
  )
  .map(([pieces, eol, hasFinalEnd, bom]) => {
    const text = pieces.join('\n') + (hasFinalEnd && pieces.length > 0 ? '\n' : '')
    return bom + text.replaceAll('\n', eol)
  })
  .filter((text) => {
    try {
      parse(text.replace('\uFEFF', ''))
      return true
    } catch {
      return false // a dotted key after a table can be there twice
    }
  })

const word = fc.string({ unit: 'grapheme', maxLength: 20 })
const name = fc.stringMatching(/^[a-zA-Z0-9_:@/.-]{1,12}$/)
const server: fc.Arbitrary<ServerTable> = fc.record(
  {
    command: word,
    args: fc.array(word, { maxLength: 4 }),
    env: fc.dictionary(word, word, { maxKeys: 3, noNullPrototype: true }),
    enabled: fc.constant(false),
    tool_timeout_sec: fc.oneof(fc.integer({ min: 1, max: 999 }), fc.constantFrom(0.5, 1e21, 1e-7, 2.25)),
  },
  { requiredKeys: ['command'], noNullPrototype: true },
)
const servers = fc.dictionary(name, server, { maxKeys: 4, noNullPrototype: true })

/** What is left without the block afterwards, or the code of the refusal. */
function importedInto(text: string, imported: Parameters<typeof change>[0]): string {
  try {
    return withoutBlock(applyImport(text, change(imported)).text).text
  } catch (error) {
    return String((error as { code?: unknown }).code)
  }
}

describe('the managed block', () => {
  it('can be taken out again without a trace, whatever the text', () => {
    fc.assert(
      fc.property(
        config,
        fc.array(fc.constantFrom('a = 1', '[x]', '# y', ''), { maxLength: 3 }),
        (text, lines) => {
          const fresh = lines.map((line, at) => line.replace('a', `zz${at}`).replace('x', `zzz${at}`))
          const { text: rest, block } = withoutBlock(withBlock(text, fresh))
          expect(rest).toBe(text)
          expect(block).toBe(fresh.map((line) => `${line}\n`).join(''))
        },
      ),
      { numRuns: 500 },
    )
  })

  it('says exactly what is imported, twice as once, and nothing else changes', () => {
    fc.assert(
      fc.property(config, servers, (text, imported) => {
        const own = parse(text.replace('\uFEFF', '')) as Record<string, Record<string, unknown>>
        const once = applyImport(text, change(imported)).text
        expect(applyImport(once, change(imported)).text).toBe(once)
        const expected = Object.fromEntries(
          Object.entries(imported).filter(([key]) => !Object.hasOwn(own.mcp_servers ?? {}, key)),
        )
        const read = parse(once.replace('\uFEFF', '')) as Record<string, Record<string, unknown>>
        expect(read.mcp_servers ?? {}).toEqual({ ...expected, ...own.mcp_servers })
        const others = (value: typeof own) => ({ ...value, mcp_servers: undefined })
        expect(others(read)).toEqual(others(own))
        expect(applyImport(once, change({})).text).toBe(text)
      }),
      { numRuns: 500 },
    )
  })

  it('comes and goes in a messy file of 300 lines through 200 random edits of it', () => {
    expect(MESSY_CONFIG.split('\r\n').length).toBeGreaterThan(280)
    let edits = 0
    fc.assert(
      fc.property(fc.array(fc.nat(), { minLength: 5, maxLength: 5 }), servers, (places, imported) => {
        let text = MESSY_CONFIG
        for (const place of places) {
          text = editAt(text, place) ?? text
          edits++
        }
        const once = applyImport(text, change(imported)).text
        expect(once.replaceAll('\r\n', '')).not.toContain('\n')
        expect(applyImport(once, change(imported)).text).toBe(once)
        expect(applyImport(once, change({})).text).toBe(text)
        // The user edits while the block is there: the block still goes alone, or nothing is written.
        const later = editAt(once, places[0]!)
        if (later !== null && withoutBlock(later).block === withoutBlock(once).block)
          expect([withoutBlock(later).text, 'config-refused']).toContain(importedInto(later, imported))
      }),
      { numRuns: 60 },
    )
    expect(edits).toBeGreaterThanOrEqual(200)
  })

  it('stands before the first table and above the comment that belongs to it', () => {
    const { text } = applyImport('a = 1\n\n# about t\n[t]\nb = 2\n', change({ s: { command: 'c' } }))
    expect(text).toBe(
      `a = 1\n\n${START}\n# from x\n[mcp_servers.s]\ncommand = "c"\n${END}\n\n# about t\n[t]\nb = 2\n`,
    )
  })

  it('lets a root key of the user stay one', () => {
    const { text } = applyImport(
      'model = "m"\n[t]\nb = 2\n',
      change({ s: { command: 'c' } }, { permissions: ':workspace' }),
    )
    expect(parse(text)).toEqual({
      model: 'm',
      default_permissions: ':workspace',
      mcp_servers: { s: { command: 'c' } },
      t: { b: 2 },
    })
  })

  it.each([
    ['an end alone', `a = 1\n[mcp_servers.s]\ncommand = "c"\n${END}\n[t]\n`],
    ['a start alone', `a = 1\n${START}\n[mcp_servers.s]\ncommand = "c"\n[t]\n`],
  ])('of which only %s is left: that line goes, and the servers are the user’s', (_, text) => {
    const { text: rest, block } = withoutBlock(text)
    expect(block).toBeNull()
    expect(rest).toBe('a = 1\n[mcp_servers.s]\ncommand = "c"\n[t]\n')
  })

  it.each([
    ['x = 1\nmcp_servers = { a = { command = "x" } }\n', /config\.toml:2:1: mcp_servers is an inline table/],
    ['a = 1\nb = = 2\n', /config\.toml:2:5 is not valid TOML/],
    ['a = 1\na = 2\n', /config\.toml:2:1 is not valid TOML/],
  ])('is not put into %j', (text, why) => {
    expect(() => applyImport(text, change({ s: { command: 'c' } }))).toThrow(why)
  })
})

describe('what others write into the managed block', () => {
  const OTHERS = `[projects."/x"]\ntrust_level = "trusted"\n\n[mcp_servers.z]\ncommand = "z"\n\n[plugins."p@m"]\nenabled = true\nmore = 1\n`
  const imported = change({ s: { command: 'c' } }, { permissions: ':workspace' })

  it.each([
    ['model = "m"\n', '\n'],
    ['model = "m"', '\n'],
    ['model = "m"\n[t]\na = 1\n', '\n'],
    ['model = "m"\r\n', '\r\n'],
    ['', '\n'],
  ])('is moved out of it by the next import and kept: %j', (text, eol) => {
    const ends = (part: string) => part.replaceAll('\n', eol)
    const once = applyImport(text, imported).text
    const edited = once
      .replace('# from x', ends('# why\neffort = "high"\n# from x'))
      .replace(END, ends(`\n# mine\n${OTHERS}${END}`))
    const again = applyImport(edited, imported)
    expect(parse(again.text)).toEqual(parse(edited))
    expect(withoutBlock(again.text).block).toBe(withoutBlock(once).block)
    expect(withoutBlock(again.text).text).toContain(ends(`# mine\n${OTHERS}`))
    expect(withoutBlock(again.text).text).toContain(ends('# why\neffort = "high"\n'))
    expect(applyImport(again.text, imported).text).toBe(again.text)
    const gone = applyImport(again.text, change({ z: { command: 'other' } })).text
    expect(parse(gone)).toMatchObject({ effort: 'high', mcp_servers: { z: { command: 'z' } } })
  })

  it('stops the import where it cannot be moved without another meaning', () => {
    const once = applyImport('[[hooks]]\na = 1\n', imported).text
    const edited = once.replace(END, `[[hooks]]\na = 0\n${END}`).replace('a = 1', 'a = 1\n[hooks.sub]\nb = 2')
    expect(parse(applyImport(edited, imported).text)).toEqual(parse(edited))
    const inTable = `[t]\na = 1\n${START}\nb = 2\n${END}\n`
    expect(() => applyImport(inTable, imported)).toThrow(/would say something else afterwards/)
  })
})

/** One edit as people make them; null when the text would not be TOML any more. */
function editAt(text: string, place: number): string | null {
  const lines = text.split('\r\n')
  const at = place % lines.length
  const kind = Math.floor(place / lines.length) % 5
  if (kind === 0) lines.splice(at, 1)
  else if (kind === 1) lines.splice(at, 0, `# edit ${place}`)
  else if (kind === 2) lines.splice(at, 0, '')
  else if (kind === 3) lines[at] = `${lines[at]}  `
  else lines.splice(at, 0, `edit_${place} = ${place}`)
  const edited = lines.join('\r\n')
  try {
    parse(edited)
    return edited
  } catch {
    return null
  }
}
