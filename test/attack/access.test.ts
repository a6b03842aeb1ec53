// The tables of docs/user/security.md, measured: what commands try, and what comes of it, on the real codex and its sandbox.
// `ESCAPES=write npm run test:attack -- test/attack/access.test.ts` writes them anew.
import { readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { ThreadOptions } from '../../src/codex/index.ts'
import { ATTEMPTS, type Attempt, NETWORK, PATCHES, READING } from './access/attempts.ts'
import { accessStage, type Came, type Stage } from './access/stage.ts'

const PAGE = 'docs/user/security.md'
const TEST_MS = 180_000
const write = { sandbox: 'workspace-write' } as const

interface Table {
  readonly name: string
  readonly first: string
  readonly rows: readonly Attempt[]
  readonly columns: (allow: Stage['allow']) => Readonly<Record<string, ThreadOptions>>
  /** In which columns a row is what a person asked for. */
  readonly asked: Readonly<Record<string, readonly string[]>>
}

const SANDBOXES = ['`workspace-write`', '`… --allow`', '`… --allow --confined`']

const TABLES: readonly Table[] = [
  {
    name: 'escapes',
    first: 'what a command tries',
    rows: ATTEMPTS,
    columns: (allow) => ({
      '`read-only`': { sandbox: 'read-only' },
      '`workspace-write`': write,
      '`… --allow`': { ...write, allow },
      '`… --allow --confined`': { ...write, allow, confined: true },
    }),
    asked: {
      ...Object.fromEntries(READING.map(({ what }) => [what, ['`read-only`', ...SANDBOXES.slice(0, 2)]])),
      'read an allowed folder': ['`read-only`', ...SANDBOXES],
      'write in the workspace': SANDBOXES,
      'write in a folder that is allowed to be written': SANDBOXES.slice(1),
      'write to the temp folder of the machine': SANDBOXES.slice(0, 2),
    },
  },
  {
    name: 'network',
    first: 'what a command tries to reach',
    rows: NETWORK,
    columns: (allow) => ({
      off: { ...write, allow, confined: true },
      '`domains:127.0.0.1`': { ...write, allow, confined: true, network: { domains: ['127.0.0.1'] } },
      '`domains:example.org`': { ...write, allow, network: { domains: ['example.org'] } },
      on: { ...write, allow, confined: true, network: true },
    }),
    asked: {
      'a server on this machine, by its address': ['`domains:127.0.0.1`', 'on'],
      'the same, by the name `localhost`': ['on'],
      'the same, around the proxy': ['on'],
      'another port of it': ['on'],
    },
  },
  {
    name: 'patches',
    first: 'a change of a file',
    rows: PATCHES,
    columns: (allow) => ({
      '`read-only`': { sandbox: 'read-only' },
      '`… --allow`': { ...write, allow },
      '`… --allow --confined`': { ...write, allow, confined: true },
    }),
    asked: {
      'in the workspace': SANDBOXES,
      'in a folder that is allowed to be written': SANDBOXES,
    },
  },
]

it(
  'the tables say what was measured',
  async () => {
    const stage = await accessStage()
    for (const table of TABLES) compare(table.name, await measured(table, stage))
  },
  TEST_MS,
)

async function measured(
  { name, first, rows, columns, asked }: Table,
  { attempt, allow }: Stage,
): Promise<string> {
  const tried = Object.entries(columns(allow))
  const results: (readonly Came[])[] = []
  for (const [, thread] of tried) results.push(await attempt(rows, thread))
  const cells = rows.map(({ what }, row) => [
    what,
    ...tried.map(([column], at) => cellOf(results[at]![row]!, asked[what]?.includes(column) ?? false)),
  ])
  const escaped = cells.flat().filter((cell) => cell === ESCAPED).length
  console.log(`attack: ${name}: ${rows.length * tried.length} tried, ${escaped} escaped`)
  return tableText([[first, ...tried.map(([column]) => column)], ...cells])
}

function compare(name: string, table: string): void {
  const page = readFileSync(PAGE, 'utf8')
  const [before, after] = around(page, name)
  if (process.env.ESCAPES === 'write') writeFileSync(PAGE, `${before}\n${table}\n\n${after}`)
  else expect(page.slice(before.length, page.length - after.length).trim()).toBe(table)
}

const ESCAPED = '**works**'

/** What the choices allow is no escape. */
function cellOf({ hasWorked, wasAsked }: Came, isAllowed: boolean): string {
  if (!hasWorked) return wasAsked ? 'asks' : 'fails'
  return isAllowed ? 'allowed' : ESCAPED
}

/** The page without the table. */
function around(page: string, name: string): [string, string] {
  const begin = `<!-- measured: ${name} -->\n`
  const end = `<!-- end: ${name} -->`
  const [start, stop] = [page.indexOf(begin), page.indexOf(end)]
  if (start < 0 || stop < 0) throw new Error(`${PAGE} has no place for the table of ${name}`)
  return [page.slice(0, start + begin.length), page.slice(stop)]
}

function tableText(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((text, column) => text.padEnd(widths[column]!)).join(' | ')} |`
  const [head, ...body] = rows
  return [line(head!), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n')
}
