// A manifest is read from a file that anybody can have made.
import { expect, it } from 'vitest'
import { ChunkCodec } from './chunk-codec.ts'
import type { SnapshotFacts } from './facts.ts'
import { decodeManifest, type Manifest } from './manifest.ts'

const ID = '0b7d44e9-0000-4000-8000-000000000000'
const CHUNK = ['a'.repeat(64), 5] as const
const codec = new ChunkCodec(null)
const TASK: SnapshotFacts['task'] = {
  ...{ id: 'task', title: 'Shop', prompt: 'go', cwd: '/shop', preset: 'ask-all', rules: '[]', tools: '[]' },
  ...{ policy: '{"sandbox":"read-only"}', keepOpen: false, timeoutMs: null, approvalTimeoutMs: null },
  ...{ outputSchema: null, labels: ['a'], snapshots: 'end' },
}
const FACTS: SnapshotFacts = {
  ...{ id: ID, takenAt: 1, cause: 'hand', turnCount: 1, threadId: ID, machine: 'm', codexVersion: null },
  ...{ task: TASK, prefix: 'src', leftOut: [{ path: 'a', why: 'login' }], leftOutCounts: { login: 1 } },
  workspace: { kind: 'clone', source: '/shop', branch: 'drawbridge/a', from: 'main', base: 'a'.repeat(40) },
  counts: { files: 1, folders: 0, links: 0, bytes: 1, changed: 0 },
}
const MANIFEST: Manifest = { format: 1, facts: FACTS, entries: [CHUNK], data: [] }

async function decoded(value: unknown) {
  const plain = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))
  const name = codec.nameOf(plain)
  const head = Buffer.from(`drawbridge-snapshot 1 ${name} ${plain.length}\n`)
  return decodeManifest(Buffer.concat([head, ...(await codec.encode(plain, name))]), codec)
}

it('reads what was written', async () => {
  await expect(decoded(MANIFEST)).resolves.toEqual(MANIFEST)
})

it.for<[string, unknown]>([
  ['no JSON', 'no JSON'],
  ['nothing', 'null'],
  ['no facts', { ...MANIFEST, facts: null }],
  ['no chunks', { ...MANIFEST, data: 'all' }],
  ['a chunk of 3 GB', { ...MANIFEST, data: [[CHUNK[0], 3e9]] }],
  ['a chunk with another name', { ...MANIFEST, data: [['../../x', 5]] }],
  ...(
    [
      { task: null },
      { threadId: 'sessions' },
      { prefix: '../..' },
      { prefix: '/etc' },
      { prefix: 'a\0b' },
      { takenAt: 1e300 },
      { leftOut: {} },
      { workspace: { ...FACTS.workspace, base: '--output=x' } },
      { workspace: { ...FACTS.workspace, branch: '-x' } },
      { workspace: { ...FACTS.workspace, branch: '../../x' } },
    ] as object[]
  ).map((wrong): [string, unknown] => [
    JSON.stringify(wrong),
    { ...MANIFEST, facts: { ...FACTS, ...wrong } },
  ]),
  ...(
    [
      { snapshots: 'whenever' },
      { policy: '[]' },
      { policy: '{"sandbox":"everything"}' },
      { policy: '{"model":{}}' },
      { rules: '{}' },
      { tools: 'x' },
      { labels: 'a' },
      { preset: 'toString' },
      { timeoutMs: -1 },
    ] as object[]
  ).map((wrong): [string, unknown] => [
    JSON.stringify(wrong),
    { ...MANIFEST, facts: { ...FACTS, task: { ...TASK, ...wrong } } },
  ]),
])('refuses %s', async ([, value]) => {
  await expect(decoded(value)).rejects.toMatchObject({ code: 'snapshot-damaged' })
})
