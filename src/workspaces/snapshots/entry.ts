// What is in a snapshot, one line for each file, folder and link, in the order of their content.
import { damaged } from './chunk-codec.ts'

/** `work`: the workspace; `thread`: the rollouts of its thread, below codex's home. */
export type Root = 'work' | 'thread'

interface EntryPlace {
  readonly root: Root
  /** Its way from the root, with `/`, as bytes: names need not be text. */
  readonly path: Buffer
}

export type Entry = EntryPlace &
  (
    | { readonly kind: 'folder'; readonly mode: number; readonly mtimeMs: number }
    | {
        readonly kind: 'file'
        readonly mode: number
        readonly mtimeMs: number
        readonly size: number
        /** Where it has only zeros, which are not stored: `[offset, length]`. */
        readonly holes: readonly (readonly [number, number])[]
      }
    | { readonly kind: 'link'; readonly target: Buffer }
  )

const KINDS = { d: 'folder', f: 'file', l: 'link' } as const
const ROOTS = { w: 'work', t: 'thread' } as const
/** As `rolloutWay` names them, of whatever day. */
const ROLLOUT = /^sessions\/(?:[^/]+\/)*rollout-[^/]+\.jsonl$/
/** What a day can be, in milliseconds. */
const MAX_TIME = 8.64e15

/** Short names: there may be a million lines. */
export function entryLine(entry: Entry): string {
  const base = {
    t: `${entry.root[0]}${entry.kind === 'folder' ? 'd' : entry.kind[0]}`,
    p: textOf(entry.path),
  }
  if (entry.kind === 'link') return `${JSON.stringify({ ...base, to: textOf(entry.target) })}\n`
  const { mode, mtimeMs } = entry
  const common = { ...base, m: mode, s: Math.round(mtimeMs) }
  if (entry.kind === 'folder') return `${JSON.stringify(common)}\n`
  const holes = entry.holes.length > 0 ? { h: entry.holes } : {}
  return `${JSON.stringify({ ...common, z: entry.size, ...holes })}\n`
}

interface Line {
  readonly t: string
  readonly p: Text
  readonly m: number
  readonly s: number
  readonly z: number
  readonly h?: [number, number][]
  readonly to: Text
}

/** Text where it is UTF-8, else base64 in a list. */
type Text = string | [string]

/** Throws `snapshot-damaged` for a path that leads out, or anything else that was not written here. */
export function parseEntry(line: string): Entry {
  const { t, p, m, s, z, h = [], to } = parsedLine(line)
  const root = ROOTS[t[0] as keyof typeof ROOTS]
  const kind = KINDS[t[1] as keyof typeof KINDS]
  if (root === undefined || kind === undefined) throw damaged('it has something of an unknown kind')
  const place = { root, path: safePath(bytesOf(p)) }
  // Codex's home is not a place for links and other files: they would be followed, or read, from there.
  if (root === 'thread' && (kind !== 'file' || !ROLLOUT.test(place.path.toString('latin1'))))
    throw damaged('it has something in its thread that is no part of one')
  if (kind === 'link') return { ...place, kind, target: bytesOf(to) }
  const common = { ...place, mode: number(m) & 0o1777, mtimeMs: number(s) }
  if (Math.abs(common.mtimeMs) > MAX_TIME) throw damaged('it has a time that cannot be')
  if (kind === 'folder') return { ...common, kind }
  if (number(z) < 0) throw damaged('it has a size that cannot be')
  return { ...common, kind, size: z, holes: safeHoles(h, z) }
}

function parsedLine(line: string): Line {
  try {
    const { t, ...rest } = JSON.parse(line) as Line
    return { t: String(t), ...rest }
  } catch {
    throw damaged('its list of files cannot be read')
  }
}

function textOf(bytes: Buffer): Text {
  const text = bytes.toString('utf8')
  return Buffer.from(text, 'utf8').equals(bytes) ? text : [bytes.toString('base64')]
}

function bytesOf(text: Text): Buffer {
  if (typeof text === 'string') return Buffer.from(text, 'utf8')
  if (Array.isArray(text) && typeof text[0] === 'string') return Buffer.from(text[0], 'base64')
  throw damaged('it has a name that cannot be')
}

function safePath(bytes: Buffer): Buffer {
  const parts = bytes.toString('latin1').split('/')
  const isBad = (part: string) => part === '' || part === '.' || part === '..' || part.includes('\0')
  if (parts.some(isBad)) throw damaged('it has a path that leads out of it')
  return bytes
}

function safeHoles(holes: readonly (readonly [number, number])[], size: number): typeof holes {
  let end = 0
  if (!Array.isArray(holes)) throw damaged('it has holes that cannot be')
  for (const hole of holes) {
    const [at, length] = Array.isArray(hole) ? [number(hole[0]), number(hole[1])] : [-1, 0]
    if (!(at >= end && length > 0 && at + length <= size)) throw damaged('it has holes that cannot be')
    end = at + length
  }
  return holes
}

function number(value: unknown): number {
  if (!Number.isSafeInteger(value)) throw damaged('it has a number that cannot be')
  return value as number
}
