// What a task needs of the machine that runs it, and whether this one has it.
import type { Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { StoredTask } from '../../store/index.ts'
import { type HostDirectory, hostOfHome } from '../model/index.ts'

/** A mount that hangs answers after minutes, or never. */
const PATIENCE_MS = 2_000
/** What is not there is looked for again after so long. */
const FORGET_MS = 10_000
/** A queue of tasks for folders that are not here must not hide the others. */
const MAX_MISSING = 1_000

export type Places = Pick<StoredTask, 'cwd' | 'codex_home' | 'codex_path' | 'host'>

export interface Lack {
  readonly column: keyof Places
  /** For a host its name. */
  readonly path: string
  /** Why not, where more is known than that it is not there. */
  readonly why?: string
}

/** The first thing that this machine does not have; null: it has all of them. */
export async function lackOf(
  { cwd, codex_home, codex_path, host }: Places,
  hosts: HostDirectory,
): Promise<Lack | null> {
  const why = host === null ? null : await whyOutOfReach(host, hosts)
  if (host !== null && why !== null) return { column: 'host', path: host, why }
  // The folder of a task on a host is there.
  if (host === null && !(await isThere(cwd, isFolder))) return { column: 'cwd', path: cwd }
  const isHomeHere = codex_home !== null && hostOfHome(codex_home) === null
  if (isHomeHere && !(await isThere(codex_home, isFolder))) return { column: 'codex_home', path: codex_home }
  // A bare name is looked up by whoever starts it.
  const isPath = codex_path !== null && path.basename(codex_path) !== codex_path
  if (isPath && !(await isThere(codex_path, isFile))) return { column: 'codex_path', path: codex_path }
  return null
}

/** null: this machine reaches the host. A connection that takes longer is there at a later look. */
async function whyOutOfReach(name: string, hosts: HostDirectory): Promise<string | null> {
  const host = await hosts.get(name)
  if (!host) return 'it was removed'
  const look = host.paths.realPath('/').then(
    () => null,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
  return answeredInTime(look, 'it has not answered yet')
}

const NAMES: Readonly<Record<Exclude<Lack['column'], 'host'>, string>> = {
  cwd: 'the folder',
  codex_home: 'the codex home',
  codex_path: 'codex at',
}

export function lackText({ column, path, why }: Lack): string {
  if (column === 'host') return `it waits for a worker that can reach host ${path}: ${why}`
  return `it waits for a worker that has ${NAMES[column]} ${path}`
}

/** What this machine does not have, as it was seen a moment ago. */
export class Missing {
  readonly #seenAt = new Map<string, { lack: Lack; at: number }>()

  get size(): number {
    return this.#seenAt.size
  }

  add(lack: Lack): void {
    const at = performance.now()
    if (this.#seenAt.size < MAX_MISSING) this.#seenAt.set(`${lack.column} ${lack.path}`, { lack, at })
  }

  /** By what they are to a task. */
  paths(): Readonly<Record<Lack['column'], readonly string[]>> {
    const paths: Record<Lack['column'], string[]> = { cwd: [], codex_home: [], codex_path: [], host: [] }
    for (const [key, { lack, at }] of this.#seenAt)
      if (performance.now() - at > FORGET_MS) this.#seenAt.delete(key)
      else paths[lack.column].push(lack.path)
    return paths
  }
}

const isFolder = (facts: Stats) => facts.isDirectory()
const isFile = (facts: Stats) => facts.isFile()

/** Looks that have no answer yet. Each keeps one of the few threads for files busy: a path is looked at once at a time. */
const looks = new Map<string, Promise<Stats | null>>()

/** False also when the file system does not answer in time. */
async function isThere(place: string, fits: (facts: Stats) => boolean): Promise<boolean> {
  const facts = await answeredInTime(looks.get(place) ?? lookAt(place), null)
  return facts !== null && fits(facts)
}

async function answeredInTime<T>(answer: Promise<T>, otherwise: T): Promise<T> {
  const over = new AbortController()
  const late = delay(PATIENCE_MS, otherwise, { signal: over.signal }).catch(() => otherwise)
  return Promise.race([answer, late]).finally(() => over.abort())
}

function lookAt(place: string): Promise<Stats | null> {
  const look = stat(place)
    .catch(() => null)
    .finally(() => looks.delete(place))
  looks.set(place, look)
  return look
}
