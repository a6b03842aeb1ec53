// What snapshots cost: 1 GB against `tar | zstd`; ten of 200 MB with small changes against one; 10,000 files and a sparse file
// of 2 GB, with the memory they take. Half of the content is random, half is text.
// Run: npm run bench:snapshots
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { makeWorkspace } from '../src/testing/index.ts'
import { ChunkCodec } from '../src/workspaces/snapshots/chunk-codec.ts'
import { ChunkStore } from '../src/workspaces/snapshots/chunk-store.ts'
import { pack, unpack, verify } from '../src/workspaces/snapshots/pack.ts'
import { median, printTable } from './report.ts'

const MB = 1024 * 1024
const ROUNDS = 3
const place = await makeWorkspace()
const text = Buffer.from(
  Array.from({ length: 40_000 }, (_, line) => `line ${line}: ${(line * 2_654_435_761) % 97_003}\n`).join(''),
)

function fill(folder: string, { files, bytes }: { files: number; bytes: number }): void {
  for (let at = 0; at < files; at++) {
    const inner = path.join(folder, `part-${at % 50}`)
    mkdirSync(inner, { recursive: true })
    const each = Math.floor(bytes / files)
    const content = at % 2 === 0 ? randomBytes(each) : Buffer.alloc(each, text.subarray(at % 1000))
    writeFileSync(path.join(inner, `${at}.bin`), content)
  }
}

const rules = {
  ...{ exclude: [], gitignore: false, never: new Set<string>(), homes: new Set<string>() },
  replaced: new Set<string>(),
}
const folderOf = (name: string) => {
  const folder = path.join(place.path, name)
  mkdirSync(folder)
  return folder
}
const newStore = (name: string) => new ChunkStore(path.join(place.path, name), new ChunkCodec(null))
const packed = (store: ChunkStore, folder: string) => pack(store, { folder, rules, extra: [], gitDir: null })

async function timed<T>(work: () => Promise<T> | T): Promise<{ ms: number; result: T }> {
  const from = performance.now()
  const result = await work()
  return { ms: performance.now() - from, result }
}

const large = folderOf('large')
fill(large, { files: 2000, bytes: 1024 * MB })
const tarMs: number[] = []
const ownMs: number[] = []
for (let round = 0; round < ROUNDS; round++) {
  const out = path.join(place.path, `large-${round}.tar.zst`)
  const tar = await timed(() =>
    execFileSync('sh', ['-c', `tar -cf - -C ${large} . | zstd -q -3 -o ${out} && sync ${out}`]),
  )
  const own = await timed(() => packed(newStore(`store-${round}`), large))
  tarMs.push(tar.ms)
  ownMs.push(own.ms)
}
// Not before: ext4 does not use the number of a file again for 5 s, and looks through all of them for one that is free.
for (let round = 0; round < ROUNDS; round++) {
  rmSync(path.join(place.path, `large-${round}.tar.zst`))
  rmSync(path.join(place.path, `store-${round}`), { recursive: true })
}
rmSync(large, { recursive: true })
printTable('1 GB in 2000 files', [
  { '': 'tar | zstd -3', 'median ms': median(tarMs).toFixed(0) },
  { '': 'snapshot', 'median ms': median(ownMs).toFixed(0) },
])
console.log(`ratio ${(median(ownMs) / median(tarMs)).toFixed(2)} (wanted: at most 1.3)`)

const work = folderOf('work')
fill(work, { files: 1000, bytes: 200 * MB })
const store = newStore('ten')
const costs: number[] = []
for (let at = 0; at < 10; at++) {
  costs.push((await packed(store, work)).storedBytes)
  for (let change = 0; change < 5; change++) {
    const file = path.join(work, `part-${(at * 5 + change) % 50}`, `${(at * 5 + change) % 50}.bin`)
    writeFileSync(file, Buffer.concat([Buffer.from(`changed ${at}`), readFileSync(file)]))
  }
}
const all = costs.reduce((sum, each) => sum + each, 0)
console.log(
  `ten snapshots of 200 MB: ${(all / MB).toFixed(1)} MB, one: ${(costs[0]! / MB).toFixed(1)} MB, ratio ${(all / costs[0]!).toFixed(2)} (wanted: at most 1.3)`,
)
rmSync(work, { recursive: true })

const many = folderOf('many')
fill(many, { files: 10_000, bytes: 40 * MB })
writeFileSync(path.join(many, 'disk'), 'begin')
truncateSync(path.join(many, 'disk'), 2048 * MB)
let peak = 0
const watch = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss())
}, 10)
const before = process.memoryUsage.rss()
const sparse = newStore('many-store')
const taken = await timed(() => packed(sparse, many))
const checked = await timed(() => verify(sparse, taken.result))
const to = folderOf('restored')
const restored = await timed(() => unpack(sparse, taken.result, { work: to }))
clearInterval(watch)
execFileSync('diff', ['-r', many, to])
const onDisk = statSync(path.join(to, 'disk')).blocks * 512
console.log(
  `10,000 files and 2 GB of holes: taken ${taken.ms.toFixed(0)} ms, checked ${checked.ms.toFixed(0)} ms, restored ${restored.ms.toFixed(0)} ms; ` +
    `the sparse file takes ${(onDisk / 1024).toFixed(0)} kB; memory ${(before / MB).toFixed(0)} MB before, ${(peak / MB).toFixed(0)} MB at most`,
)
await place.remove()
