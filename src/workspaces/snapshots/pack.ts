// Packs folders and files into chunks, and unpacks them.
import { StringDecoder } from 'node:string_decoder'
import { damaged } from './chunk-codec.ts'
import type { ChunkRef, ChunkStore } from './chunk-store.ts'
import { ChunkReader, ChunkSink, readChunks } from './chunk-stream.ts'
import { type Entry, entryLine, parseEntry, type Root } from './entry.ts'
import type { SnapshotFacts } from './facts.ts'
import { type LeftOut, type ReadRules, TreeReader } from './read-tree.ts'
import { TreeWriter } from './write-tree.ts'

/** What is to be packed. */
export interface Packing {
  /** The real path of the folder. */
  readonly folder: string
  readonly rules: ReadRules
  /** Other folders and files, under the ways that they get. */
  readonly extra: readonly { readonly file: string; readonly root: Root; readonly way: string }[]
  /** A folder that comes in the place of `.git` at the top; null: what is there. */
  readonly gitDir: string | null
}

export interface Packed extends Pick<SnapshotFacts, 'counts' | 'leftOut' | 'leftOutCounts'> {
  readonly entries: readonly ChunkRef[]
  readonly data: readonly ChunkRef[]
  /** What it added to the store. */
  readonly storedBytes: number
}

const MAX_LISTED = 200

export async function pack(store: ChunkStore, { folder, rules, extra, gitDir }: Packing): Promise<Packed> {
  const data = new ChunkSink(store)
  const lines = new ChunkSink(store)
  const counts = { files: 0, folders: 0, links: 0, bytes: 0 }
  const leftOut: LeftOut[] = []
  const leftOutCounts: Partial<Record<LeftOut['why'], number>> = {}
  let behind: Promise<void> | null = null
  const entry = (each: Entry) => {
    if (each.kind === 'file' && each.root === 'work') {
      counts.files++
      counts.bytes += each.size
    } else if (each.root === 'work') counts[each.kind === 'link' ? 'links' : 'folders']++
    behind = lines.write(Buffer.from(entryLine(each)))
  }
  const leave = (left: LeftOut) => {
    leftOutCounts[left.why] = (leftOutCounts[left.why] ?? 0) + 1
    if (leftOut.length < MAX_LISTED) leftOut.push(left)
  }
  const sink = {
    entry,
    data: (bytes: Uint8Array) => {
      const waiting = data.write(bytes)
      if (!behind) return waiting
      const both = Promise.all([behind, waiting]).then(() => {})
      behind = null
      return both
    },
  }
  const reader = new TreeReader({ rules, sink, leave })
  for (const { file, ...to } of extra) await reader.readFile(file, to)
  await reader.read(folder)
  if (gitDir !== null) await reader.readAs(gitDir, '.git')
  const entries = await lines.end()
  const chunks = await data.end()
  await store.publish()
  return {
    entries,
    data: chunks,
    storedBytes: lines.storedBytes + data.storedBytes,
    counts: { ...counts, changed: reader.changed },
    leftOut,
    leftOutCounts,
  }
}

type Chunks = Pick<Packed, 'entries' | 'data'>

/** Reads all of it. Throws `snapshot-damaged` unless it is whole. Nothing is written. */
export async function verify(store: ChunkStore, { entries, data }: Chunks): Promise<void> {
  let listed = 0
  for await (const entry of entriesOf(store, entries))
    if (entry.kind === 'file') listed += contentBytes(entry)
  const there = data.reduce((sum, [, size]) => sum + size, 0)
  // Each once: a small file can name one chunk a million times.
  const unique = new Map(data.map((ref) => [ref.join(' '), ref]))
  for await (const _ of readChunks(store, [...unique.values()]));
  if (listed !== there) throw damaged('its files do not have the length that is listed')
}

/** Into folders that are new and empty. What belongs to a root without one is left away. */
export async function unpack(
  store: ChunkStore,
  { entries, data }: Chunks,
  roots: Readonly<Partial<Record<Root, string>>>,
): Promise<void> {
  const content = new ChunkReader(store, data)
  try {
    const writer = new TreeWriter(roots, content)
    for await (const entry of entriesOf(store, entries)) {
      // The thread comes first: where nothing else is asked for, the rest is not read.
      if (entry.root === 'work' && roots.work === undefined) break
      await writer.write(entry)
    }
    await writer.end()
  } finally {
    await content.close()
  }
}

function contentBytes({ size, holes }: Extract<Entry, { kind: 'file' }>): number {
  return size - holes.reduce((sum, [, length]) => sum + length, 0)
}

async function* entriesOf(store: ChunkStore, refs: readonly ChunkRef[]): AsyncGenerator<Entry> {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  for await (const chunk of readChunks(store, refs)) {
    const lines = (rest + decoder.write(chunk)).split('\n')
    rest = lines.pop()!
    for (const line of lines) yield parseEntry(line)
  }
  if (rest !== '') throw damaged('its list of files ends too early')
}
