// The house rules that a compiler does not check: who may import whom, and what each door lets out.
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import * as api from '../src/api/index.ts'
import * as codex from '../src/codex/index.ts'
import * as hosts from '../src/hosts/index.ts'
import * as tasks from '../src/tasks/index.ts'
import * as testing from '../src/testing/index.ts'
import * as tools from '../src/tools/index.ts'

/** What a room may use: rooms below it, and packages. Siblings never meet; `cli` introduces them. */
const ROOMS: Readonly<
  Record<string, { readonly rooms: readonly string[]; readonly packages: readonly string[] }>
> = {
  util: { rooms: [], packages: [] },
  codex: { rooms: ['util'], packages: [] },
  hosts: { rooms: ['util', 'codex'], packages: ['ws'] },
  testing: { rooms: ['util', 'codex'], packages: [] },
  tools: { rooms: ['util', 'codex'], packages: [] },
  store: { rooms: ['util', 'codex'], packages: ['kysely', 'pg', 'pg-boss'] },
  tasks: { rooms: ['util', 'codex', 'store'], packages: ['nodemailer', 'uuidv7', 'zod'] },
  accounts: { rooms: ['util', 'codex', 'store', 'tasks'], packages: [] },
  workspaces: { rooms: ['util', 'codex', 'hosts', 'store', 'tasks'], packages: [] },
  api: {
    rooms: ['util', 'codex', 'tasks'],
    packages: ['hono', '@hono/node-server', '@hono/zod-openapi', 'zod', 'prom-client', 'eventsource-parser'],
  },
  mcp: {
    rooms: ['util', 'codex', 'tasks'],
    packages: ['@modelcontextprotocol/server', 'jsonc-parser', 'smol-toml', 'zod'],
  },
  config: {
    rooms: ['util', 'codex'],
    packages: ['smol-toml', 'toml-eslint-parser', 'jsonc-parser', 'yaml', 'zod'],
  },
  cli: {
    rooms: [
      'util',
      'codex',
      'hosts',
      'testing',
      'tools',
      'store',
      'tasks',
      'accounts',
      'workspaces',
      'api',
      'mcp',
      'config',
    ],
    packages: ['commander'],
  },
}

/**
 * What each sub-room uses of the folder it is in: siblings that stand before it here, so that there are no circles, and
 * as `.` the files of that folder itself, which may use all its sub-rooms. One with an `index.ts` is entered through it.
 */
const SUB_ROOMS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  codex: {
    protocol: [],
    errors: ['protocol'],
    wire: ['errors'],
    redaction: [],
    rules: [],
    messages: ['protocol'],
    failure: ['protocol', 'errors'],
    policy: ['protocol', 'errors'],
    requests: ['protocol', 'errors', 'wire', 'rules', 'policy'],
    tools: ['protocol', 'errors', 'redaction', 'requests'],
    thread: ['.', 'protocol', 'errors', 'wire', 'messages', 'failure', 'policy', 'requests', 'tools'],
  },
  hosts: {
    machine: [],
    local: ['.'],
    detached: ['.', 'local'],
    pool: ['.', 'detached', 'local'],
    hooks: ['machine', 'local'],
    ssh: ['.', 'machine', 'local', 'detached', 'pool'],
    remote: ['.', 'local', 'pool', 'ssh'],
  },
  'hosts/ssh': {
    machine: ['.'],
  },
  testing: {
    'scripted-model': [],
    'fake-app-server': ['.'],
  },
  store: {
    migrations: [],
    upkeep: ['.'],
    rows: ['.'],
    postgres: ['.', 'migrations', 'upkeep'],
    bus: ['.', 'postgres'],
    log: ['.', 'rows', 'postgres', 'bus'],
    sqlite: ['.', 'migrations', 'upkeep'],
    move: ['.', 'log', 'migrations', 'postgres'],
    queue: ['.', 'log', 'postgres'],
  },
  tasks: {
    targets: [],
    model: ['targets'],
    log: ['model'],
    notices: ['targets', 'model'],
    link: ['model'],
    approvals: ['model', 'log'],
    hooks: ['model', 'log'],
    turns: ['model', 'log', 'link', 'approvals', 'hooks'],
    intake: ['model', 'log', 'notices', 'link', 'approvals', 'turns'],
    handover: ['model', 'log', 'notices', 'intake', 'turns'],
    fleet: ['model', 'log', 'link', 'turns'],
    terminals: ['model', 'link', 'intake', 'turns'],
    views: ['model', 'notices'],
    grants: ['model'],
  },
  tools: {
    inside: [],
  },
  'tasks/notices': {
    senders: ['.'],
  },
  workspaces: {
    files: ['.'],
    git: ['.'],
    snapshots: ['.', 'git'],
  },
  api: {
    contract: [],
    auth: ['.'],
    client: ['.'],
    stream: ['.', 'auth'],
    door: ['.'],
    console: ['.', 'door'],
    routes: ['.', 'auth', 'door', 'console', 'stream'],
  },
  mcp: {
    text: [],
    tools: ['.', 'text'],
    install: [],
  },
  config: {
    trust: ['.'],
    sources: ['.'],
    translate: ['.', 'sources'],
    'codex-toml': ['.'],
    'rules-import': ['.', 'sources', 'translate'],
    check: ['codex-toml'],
  },
  // What is shared, then the commands. Nothing uses `main.ts` and `program.ts`.
  cli: {
    process: [],
    errors: ['process'],
    help: ['process'],
    screen: ['process'],
    options: ['process'],
    prompts: ['process', 'screen', 'options'],
    demo: ['process'],
    service: ['process', 'errors', 'help', 'screen'],
    trust: ['process', 'help', 'screen', 'options', 'prompts', 'service'],
    account: ['process', 'help', 'screen', 'options', 'prompts', 'service', 'trust'],
    doctor: ['process', 'help', 'screen', 'account'],
    run: ['process', 'errors', 'help', 'screen', 'options', 'prompts', 'demo', 'service', 'trust'],
    workspaces: ['process', 'help', 'screen', 'prompts', 'service'],
    tasks: [
      ...['process', 'errors', 'help', 'screen', 'options', 'prompts', 'demo', 'service', 'run'],
      'workspaces',
    ],
    approvals: ['process', 'help', 'screen', 'options', 'prompts', 'service', 'tasks'],
    rules: ['process', 'help', 'screen', 'options', 'service', 'tasks'],
    usage: ['process', 'help', 'screen', 'service'],
    workers: ['process', 'help', 'screen', 'service'],
    tokens: ['process', 'errors', 'help', 'screen', 'options', 'service'],
    hosts: ['process', 'help', 'screen', 'options', 'service'],
    tools: ['process', 'help', 'screen', 'service'],
    completion: ['process', 'help', 'screen', 'service', 'tasks'],
    config: ['process', 'help', 'screen', 'options', 'prompts', 'service', 'trust'],
    db: ['process', 'help', 'screen', 'service'],
    serve: ['process', 'errors', 'help', 'screen', 'options', 'demo', 'service', 'trust', 'doctor', 'db'],
    notify: ['process', 'help', 'screen', 'options', 'service', 'tasks', 'serve'],
    mcp: ['process', 'help', 'screen', 'prompts', 'service'],
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
      const [door] = foldersOf(to).filter((folder) => !foldersOf(from).includes(folder) && hasDoor(folder))
      return door !== undefined && roomOf(to) !== 'util' && to !== path.join('src', door, 'index.ts')
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

describe('sub-rooms', () => {
  const built = sources.filter((file) => !isFixture(file))
  const crossings = relative.filter(({ from }) => !isFixture(from)).flatMap(crossingOf)

  it('are all known', () => {
    const known = Object.entries(SUB_ROOMS).flatMap(([room, subRooms]) =>
      Object.keys(subRooms).map((subRoom) => `${room}/${subRoom}`),
    )
    const folders = built.flatMap(foldersOf)
    const there = [...new Set(folders)].filter((folder) => folder.includes('/'))
    const unknown = there.filter((folder) => !known.includes(folder))
    expect(unknown, 'a folder without a rule: say in SUB_ROOMS what it may use').toEqual([])
    const gone = known.filter((folder) => !there.includes(folder))
    expect(gone, 'a rule without a folder: take it out of SUB_ROOMS').toEqual([])
  })

  it('use only what the table says', () => {
    const foreign = crossings
      .filter(({ room, from, to }) => from !== '.' && !SUB_ROOMS[room]?.[from]?.includes(to))
      .map(({ room, from, to, file }) => `${file}: ${room}/${from} uses ${to}`)
    expect(foreign, 'imports that SUB_ROOMS does not allow').toEqual([])
  })

  it('have no rule that nothing needs', () => {
    const unused = Object.entries(SUB_ROOMS).flatMap(([room, subRooms]) =>
      Object.entries(subRooms).flatMap(([from, uses]) =>
        uses
          .filter(
            (to) => !crossings.some((each) => each.room === room && each.from === from && each.to === to),
          )
          .map((to) => `${room}/${from} does not use ${to}`),
      ),
    )
    expect(unused).toEqual([])
  })

  it('import downward only', () => {
    const upward = Object.entries(SUB_ROOMS).flatMap(([room, subRooms]) => {
      const order = Object.keys(subRooms)
      const isUp = (from: string, to: string) => to !== '.' && order.indexOf(to) >= order.indexOf(from)
      return order.flatMap((from) =>
        subRooms[from]!.filter((to) => isUp(from, to)).map((to) => `${room}: ${from} uses ${to}`),
      )
    })
    expect(upward, 'in SUB_ROOMS a sub-room stands before those that use it').toEqual([])
  })
})

describe('doors', () => {
  it.each([
    ['.', codex],
    ['./hosts', hosts],
    ['./tasks', tasks],
    ['./api', api],
    ['./testing', testing],
    ['./tools', tools],
  ])('%s lets out exactly these names', (_, door) => {
    expect(Object.keys(door).sort()).toMatchSnapshot()
  })

  it('are the exports of package.json', () => {
    const { exports, version } = JSON.parse(readFileSync('package.json', 'utf8'))
    expect(Object.keys(exports)).toEqual(['.', './hosts', './tasks', './api', './testing', './tools'])
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

function hasDoor(folder: string): boolean {
  return sources.includes(path.join('src', folder, 'index.ts'))
}

/** Every folder that a file is in, its room first: `cli`, `cli/run`. */
function foldersOf(file: string): string[] {
  const folders = file.split(path.sep).slice(1, -1)
  return folders.map((_, depth) => folders.slice(0, depth + 1).join('/'))
}

interface Crossing {
  readonly file: string
  /** The folder that both are in. */
  readonly room: string
  /** The sub-rooms of it; `.` for a file of its own. */
  readonly from: string
  readonly to: string
}

/** None for an import within one folder, or from another room. */
function crossingOf({ from, to }: Import): Crossing[] {
  const here = from.split(path.sep).slice(1, -1)
  const there = to.split(path.sep).slice(1, -1)
  if (here[0] !== there[0]) return []
  const depth = here.findIndex((folder, index) => folder !== there[index])
  const shared = depth === -1 ? here.length : depth
  if (shared === here.length && shared === there.length) return []
  return [
    {
      file: from,
      room: here.slice(0, shared).join('/'),
      from: here[shared] ?? '.',
      to: there[shared] ?? '.',
    },
  ]
}
