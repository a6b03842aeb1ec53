// The house rules that a compiler does not check: who may import whom, and what each door lets out.
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import * as api from '../src/api/index.ts'
import * as codex from '../src/codex/index.ts'
import * as hosts from '../src/hosts/index.ts'
import * as tasks from '../src/tasks/index.ts'
import * as testing from '../src/testing/index.ts'

/** What a room may use: rooms below it, and packages. Siblings never meet; `cli` introduces them. */
const ROOMS: Readonly<
  Record<string, { readonly rooms: readonly string[]; readonly packages: readonly string[] }>
> = {
  util: { rooms: [], packages: [] },
  codex: { rooms: ['util'], packages: [] },
  hosts: { rooms: ['util', 'codex'], packages: ['ws'] },
  testing: { rooms: ['util', 'codex'], packages: [] },
  store: { rooms: ['util', 'codex'], packages: ['kysely', 'pg'] },
  tasks: { rooms: ['util', 'codex', 'store'], packages: ['nodemailer', 'uuidv7', 'zod'] },
  api: {
    rooms: ['util', 'codex', 'tasks'],
    packages: ['hono', '@hono/node-server', '@hono/zod-openapi', 'zod', 'prom-client', 'eventsource-parser'],
  },
  config: { rooms: ['util', 'codex'], packages: ['smol-toml', 'zod'] },
  cli: {
    rooms: ['util', 'codex', 'hosts', 'testing', 'tasks', 'api', 'config'],
    packages: ['commander'],
  },
}

interface Import {
  readonly from: string
  readonly to: string
}

const sources = globSync('src/**/*.ts').filter(
  (file) => !file.includes('generated') && !file.endsWith('.test.ts'),
)
/** Biome's formatting puts the last line of every import at the start of a line, with `from '…'` in it. */
const STATIC_IMPORT = /^(?:import|export|\}).* from '([^']+)'$/gm
const OTHER_IMPORT = /^import '([^']+)'$|\bimport\('([^']+)'\)/gm
const imports = sources.flatMap((from): Import[] => {
  const text = readFileSync(from, 'utf8')
  const found = [...text.matchAll(STATIC_IMPORT), ...text.matchAll(OTHER_IMPORT)]
  return found.map(([, first, second]) => ({ from, to: first ?? second! }))
})
const relative = imports
  .filter(({ to }) => to.startsWith('.'))
  .map(({ from, to }) => ({ from, to: path.join(path.dirname(from), to) }))
const roomOf = (file: string) => file.split(path.sep)[1]!

describe('rooms', () => {
  it('are all known', () => {
    expect([...new Set(sources.map(roomOf))].sort()).toEqual(Object.keys(ROOMS).sort())
  })

  it('import downward only', () => {
    const upward = relative.filter(({ from, to }) => {
      const room = roomOf(from)
      return roomOf(to) !== room && !ROOMS[room]?.rooms.includes(roomOf(to))
    })
    expect(upward).toEqual([])
  })

  it('are entered through their door', () => {
    const climbed = relative.filter(({ from, to }) => {
      const there = to.split(path.sep).slice(1, -1)
      const here = from.split(path.sep).slice(1, -1)
      const shared = there.findIndex((room, index) => room !== here[index])
      const isInside = shared === -1
      const doorOf = there.slice(0, shared + 1)
      return (
        !isInside && there[0] !== 'util' && hasDoor(doorOf) && to !== path.join('src', ...doorOf, 'index.ts')
      )
    })
    expect(climbed).toEqual([])
  })

  it('use only the packages they are allowed', () => {
    const isOf = (to: string) => (name: string) => to === name || to.startsWith(`${name}/`)
    const foreign = imports.filter(
      ({ from, to }) =>
        !/^[.]|^node:/.test(to) && !isFixture(from) && !ROOMS[roomOf(from)]?.packages.some(isOf(to)),
    )
    expect(foreign).toEqual([])
  })
})

describe('doors', () => {
  it.each([
    ['.', codex],
    ['./hosts', hosts],
    ['./tasks', tasks],
    ['./api', api],
    ['./testing', testing],
  ])('%s lets out exactly these names', (_, door) => {
    expect(Object.keys(door).sort()).toMatchSnapshot()
  })

  it('are the exports of package.json', () => {
    const { exports, version } = JSON.parse(readFileSync('package.json', 'utf8'))
    expect(Object.keys(exports)).toEqual(['.', './hosts', './tasks', './api', './testing'])
    expect(version).toBe(codex.VERSION)
  })
})

describe('files', () => {
  it('stay short enough to read at a sitting', () => {
    const long = [...sources, ...globSync('{test,bench}/**/*.ts')].filter(
      (file) => readFileSync(file, 'utf8').split('\n').length > 400,
    )
    expect(long).toEqual([])
  })
})

/** Parts of tests, and not in the build. */
function isFixture(file: string): boolean {
  return file.split(path.sep).includes('fixtures')
}

function hasDoor(room: readonly string[]): boolean {
  return sources.includes(path.join('src', ...room, 'index.ts'))
}
