// What is packed comes out again byte for byte, whatever it is; what is damaged does not come out at all.
import { createCipheriv, randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { makeWorkspace } from '../../testing/index.ts'
import { ChunkCodec } from './chunk-codec.ts'
import { ChunkStore } from './chunk-store.ts'
import { type Packing, pack, unpack, verify } from './pack.ts'

const RULES = {
  exclude: [],
  gitignore: false,
  never: new Set<string>(),
  homes: new Set<string>(),
  replaced: new Set<string>(),
}

async function stage(key: Buffer | null = null) {
  const folder = await makeWorkspace()
  onTestFinished(() => folder.remove())
  const store = new ChunkStore(path.join(folder.path, 'store'), new ChunkCodec(key))
  let count = 0
  const fresh = () => {
    const place = path.join(folder.path, `tree-${count++}`)
    mkdirSync(place)
    return place
  }
  const packed = (place: string, more: Partial<Packing['rules']> = {}) =>
    pack(store, { folder: place, rules: { ...RULES, ...more }, extra: [], gitDir: null })
  return { folder: folder.path, store, fresh, packed }
}

/** All that a snapshot keeps of a folder, as text. */
function described(place: string | Buffer, way = ''): string[] {
  const names = readdirSync(place as string, { encoding: 'buffer' }).sort(Buffer.compare)
  return names.flatMap((name) => {
    const at = Buffer.concat([Buffer.from(place), Buffer.from('/'), name])
    const stat = lstatSync(at)
    const inner = `${way}/${name.toString('latin1')}`
    const shown = `${inner} ${(stat.mode & 0o777).toString(8)}`
    if (stat.isSymbolicLink()) return [`${inner} -> ${readlinkSync(at, 'latin1')}`]
    if (stat.isDirectory()) return [`${shown} folder`, ...described(at, inner)]
    return [`${shown} ${Math.round(stat.mtimeMs)} ${readFileSync(at).toString('latin1')}`]
  })
}

/** Where a file is cut depends on its bytes: the same in every run. */
function fixedBytes(size: number, seed = 0): Buffer {
  const iv = Buffer.alloc(16)
  iv.writeUInt32BE(seed)
  return createCipheriv('aes-128-ctr', Buffer.alloc(16), iv).update(Buffer.alloc(size))
}

const name = fc
  .oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }).map((text) => Buffer.from(text)),
    fc.uint8Array({ minLength: 1, maxLength: 12 }).map((bytes) => Buffer.from(bytes)),
    fc.constantFrom('a\nb', '-rf', ' ', '*', 'ü', '\u{1F600}').map((text) => Buffer.from(text)),
  )
  .map((bytes) => Buffer.from(bytes.filter((byte) => byte !== 0 && byte !== 0x2f)))
  .filter((bytes) => bytes.length > 0 && !['.', '..', 'auth.json'].includes(bytes.toString()))
const mode = fc.integer({ min: 0, max: 0o777 })
type Node =
  | { kind: 'file'; content: Buffer; mode: number }
  | { kind: 'link'; target: Buffer }
  | { kind: 'folder'; mode: number; inner: [Buffer, Node][] }
const { tree } = fc.letrec<{ tree: Node; node: Node }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    fc.record({
      kind: fc.constant('file' as const),
      content: fc
        .oneof(
          fc.uint8Array({ maxLength: 200 }),
          fc.integer({ min: 0, max: 900_000 }).map((size) => randomBytes(size)),
          fc.integer({ min: 0, max: 3_000_000 }).map((size) => Buffer.alloc(size)),
        )
        .map((bytes) => Buffer.from(bytes)),
      mode,
    }),
    fc.record({ kind: fc.constant('link' as const), target: name }),
    tie('tree'),
  ),
  tree: fc.record({
    kind: fc.constant('folder' as const),
    mode,
    inner: fc.uniqueArray(fc.tuple(name, tie('node')), {
      maxLength: 5,
      selector: ([bytes]) => bytes.toString('latin1'),
    }),
  }),
}))

function make(place: Buffer, node: Node): void {
  if (node.kind === 'file') {
    writeFileSync(place, node.content)
    chmodSync(place, node.mode)
  } else if (node.kind === 'link') symlinkSync(node.target, place)
  else {
    mkdirSync(place, { recursive: true })
    for (const [inner, child] of node.inner) make(Buffer.concat([place, Buffer.from('/'), inner]), child)
    if (!place.toString('latin1').endsWith('top')) chmodSync(place, node.mode)
  }
}

/** For an account that its own files can be kept from, every user but root. */
const READABLE = process.getuid?.() === 0 ? 0 : 0o700

it.each([null, randomBytes(32)])(
  'any tree comes out as it went in',
  async (key) => {
    const { store, fresh, packed } = await stage(key)
    await fc.assert(
      fc.asyncProperty(tree, async (random) => {
        const from = path.join(fresh(), 'top')
        const readable = (node: Node): Node =>
          node.kind === 'link'
            ? node
            : ({
                ...node,
                mode: node.mode | READABLE,
                ...(node.kind === 'folder' && { inner: node.inner.map(([n, c]) => [n, readable(c)]) }),
              } as Node)
        make(Buffer.from(from), readable(random))
        const chunks = await packed(from)
        await verify(store, chunks)
        const to = fresh()
        await unpack(store, chunks, { work: to })
        expect(described(to)).toEqual(described(from))
        rmSync(to, { recursive: true })
        rmSync(from, { recursive: true })
      }),
      { numRuns: 25 },
    )
  },
  60_000,
)

it('a second snapshot costs what has changed, wherever in a file that is', async () => {
  const { store, fresh, packed } = await stage()
  const place = fresh()
  const big = fixedBytes(8_000_000)
  writeFileSync(path.join(place, 'big'), big)
  for (let at = 0; at < 500; at++) writeFileSync(path.join(place, `small-${at}`), fixedBytes(4000, at + 1))
  const first = await packed(place)
  expect((await packed(place)).storedBytes).toBe(0)
  writeFileSync(path.join(place, 'big'), Buffer.concat([Buffer.from('in front'), big]))
  writeFileSync(path.join(place, 'small-250'), 'other')
  const third = await packed(place)
  expect(third.storedBytes).toBeLessThan(first.storedBytes * 0.15)
  const to = fresh()
  await unpack(store, third, { work: to })
  expect(described(to)).toEqual(described(place))
})

it('a sparse file stays sparse', async () => {
  const { store, fresh, packed } = await stage()
  const place = fresh()
  writeFileSync(path.join(place, 'disk'), 'begin')
  truncateSync(path.join(place, 'disk'), 64 * 1024 * 1024)
  const chunks = await packed(place)
  expect(chunks).toMatchObject({ counts: { bytes: 64 * 1024 * 1024 } })
  const to = fresh()
  await unpack(store, chunks, { work: to })
  const file = path.join(to, 'disk')
  expect(statSync(file)).toMatchObject({ size: 64 * 1024 * 1024 })
  expect(statSync(file).blocks * 512).toBeLessThan(4 * 1024 * 1024)
  expect(readFileSync(file).equals(readFileSync(path.join(place, 'disk')))).toBe(true)
})

it('logins, databases of codex, pipes and what was excluded are left out, and told', async () => {
  const { store, fresh, packed } = await stage()
  const place = fresh()
  const write = (file: string, text = file) => {
    mkdirSync(path.join(place, path.dirname(file)), { recursive: true })
    writeFileSync(path.join(place, file), text)
  }
  write('.codex/auth.json')
  write('.codex/state_5.sqlite-wal')
  write('.codex/config.toml')
  write('backup/auth.json', JSON.stringify({ tokens: { refresh_token: 'rt' } }))
  write('app/auth.json', '{"kind":"module"}')
  write('home/state_5.sqlite')
  write('data/x')
  write('build/out.js')
  write('build/keep.js')
  write('src/a.log')
  write('src/.gitignore', '*.log\n')
  write('.gitignore', 'build/*\n!build/keep.js\n')
  const never = new Set([path.join(place, 'data')])
  const homes = new Set([path.join(place, 'home')])
  const chunks = await packed(place, { gitignore: true, exclude: ['*.tmp'], never, homes })
  const to = fresh()
  await unpack(store, chunks, { work: to })
  const files = readdirSync(to, { recursive: true }) as string[]
  expect(files.filter((file) => statSync(path.join(to, file)).isFile()).sort()).toEqual([
    '.codex/config.toml',
    '.gitignore',
    'app/auth.json',
    'build/keep.js',
    'src/.gitignore',
  ])
  expect(chunks.leftOutCounts).toEqual({ login: 4, 'own-data': 1, excluded: 2 })
  expect(chunks.leftOut).toContainEqual({ path: 'backup/auth.json', why: 'login' })
})

it('a chunk that is damaged, missing or cut is found before anything is written', async () => {
  const { store, fresh, packed } = await stage()
  const place = fresh()
  writeFileSync(path.join(place, 'a'), randomBytes(2_000_000))
  const chunks = await packed(place)
  const file = store.place(chunks.data[1]![0])
  const good = readFileSync(file)
  for (const bad of [
    good.subarray(0, -1),
    Buffer.concat([good.subarray(0, 500), Buffer.from([good[500]! ^ 1]), good.subarray(501)]),
    Buffer.alloc(0),
  ]) {
    writeFileSync(file, bad)
    await expect(verify(store, chunks)).rejects.toMatchObject({ code: 'snapshot-damaged' })
  }
  rmSync(file)
  await expect(verify(store, chunks)).rejects.toMatchObject({ code: 'snapshot-damaged' })
  writeFileSync(file, good)
  await verify(store, chunks)
  await expect(verify(store, { ...chunks, data: chunks.data.slice(1) })).rejects.toMatchObject({
    code: 'snapshot-damaged',
  })
})

it('links in a snapshot never lead a file elsewhere', async () => {
  const { folder, store, fresh } = await stage()
  const outside = fresh()
  const line = (entry: object) => `${JSON.stringify(entry)}\n`
  const hostile = async (text: string) => {
    const { ref: entries } = await store.put(Buffer.from(text))
    const { ref: data } = await store.put(Buffer.from('x'))
    await store.publish()
    return unpack(store, { entries: [entries], data: [data] }, { work: fresh() })
  }
  const file = { t: 'wf', m: 0o644, s: 0, z: 1 }
  const link = { t: 'wl', p: 'l', to: outside }
  for (const text of [
    line(link) + line({ ...file, p: 'l/x' }),
    line({ ...file, p: '../x' }),
    line({ ...file, p: 'no/x' }),
    line({ ...file, p: '/x' }),
    line({ ...file, p: 'a/./x' }),
    line({ ...file, p: 'x', h: [[-1, 5]] }),
    line({ ...file, p: 'x', z: 2 }),
    line({ t: 'wx', p: 'x' }),
  ])
    await expect(hostile(text)).rejects.toMatchObject({ code: 'snapshot-damaged' })
  expect(readdirSync(outside)).toEqual([])
  expect(existsSync(path.join(folder, 'x'))).toBe(false)
})

it('a thread in a snapshot is rollouts alone: nothing else is written or followed', async () => {
  const { store, fresh } = await stage()
  const outside = fresh()
  writeFileSync(path.join(outside, 'secret'), 'x')
  const line = (entry: object) => `${JSON.stringify(entry)}\n`
  const file = { t: 'tf', m: 0o600, s: 0, z: 1 }
  for (const text of [
    line({ t: 'tl', p: 'sessions', to: outside }) + line({ ...file, p: 'sessions/rollout-a.jsonl' }),
    line({ t: 'tl', p: 'sessions/rollout-a.jsonl', to: path.join(outside, 'secret') }),
    line({ t: 'td', p: 'sessions', m: 0o700, s: 0 }),
    line({ ...file, p: 'auth.json' }),
    line({ ...file, p: 'sessions/x.sqlite' }),
  ]) {
    const { ref: entries } = await store.put(Buffer.from(text))
    const { ref: data } = await store.put(Buffer.from('x'))
    await store.publish()
    const chunks = { entries: [entries], data: [data] }
    const roots = { work: fresh(), thread: fresh() }
    await expect(unpack(store, chunks, roots)).rejects.toMatchObject({ code: 'snapshot-damaged' })
  }
  expect(readdirSync(outside)).toEqual(['secret'])
})

it('a list of files that was not written here is damaged, whatever is in it', async () => {
  const { store } = await stage()
  const file = { t: 'wf', p: 'x', m: 0o644, s: 0, z: 1 }
  for (const text of [
    'no JSON\n',
    'null\n',
    '{}\n',
    '[]\n',
    ...[
      { ...file, p: 5 },
      { ...file, p: [] },
      { ...file, z: -1 },
      { ...file, s: 9e15 },
      { ...file, h: 'all' },
      { ...file, h: [5] },
      { ...file, h: [['0', '1']] },
      { t: 'wl', p: 'x' },
    ].map((entry) => `${JSON.stringify(entry)}\n`),
  ]) {
    const { ref: entries } = await store.put(Buffer.from(text))
    const { ref: data } = await store.put(Buffer.from('x'))
    await store.publish()
    const verified = verify(store, { entries: [entries], data: [data] })
    await expect(verified, text).rejects.toMatchObject({ code: 'snapshot-damaged' })
  }
})
