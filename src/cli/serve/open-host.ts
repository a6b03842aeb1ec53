// A host that a service has a connection to, or had: what is asked of it, and what came of that last.
import type { ExecServerAddress, PathFacts } from '../../codex/index.ts'
import type { SshHost } from '../../hosts/index.ts'
import { type HostTrouble, plainError, troubleOf } from './host-trouble.ts'

/** What codex keeps in its home that is nobody else's business: as on this machine. */
const PROTECTED = [
  'auth.json',
  '.credentials.json',
  'config.toml',
  'history.jsonl',
  'sessions',
  'archived_sessions',
  'log',
]

/** A thread that is opened for a turn needs the address twice. */
const ADDRESS_MS = 1_000

export interface OpenHost {
  readonly host: SshHost
  /** The row that it was made of. */
  readonly of: string
  /** The last thing that was tried there, where that failed. */
  trouble: HostTrouble | null
  codexVersion: string | null
  /** Of the user there. */
  remoteHome: string | null
  /** Until the way to its server is open again. */
  retry: NodeJS.Timeout | null
  /** Of its exec-server, as it was told last. */
  address: { readonly version: string; readonly at: number; readonly told: Promise<ExecServerAddress> } | null
}

export function openHost(host: SshHost, of: string): OpenHost {
  return { host, of, trouble: null, codexVersion: null, remoteHome: null, retry: null, address: null }
}

export function closeHost({ host, retry }: OpenHost): Promise<void> {
  if (retry) clearTimeout(retry)
  return host.close()
}

/** Whether it worked is shown with the host; what went wrong is told with what to do about it. */
export async function noting<T>(known: OpenHost, work: () => Promise<T>): Promise<T> {
  try {
    const done = await work()
    known.trouble = null
    return done
  } catch (error) {
    known.trouble = troubleOf(error)
    throw plainError(error)
  }
}

/** It may work later without anybody doing anything. */
export function isPassing(error: unknown): boolean {
  const { cause } = Object(error) as { cause?: { retryable?: unknown } }
  return cause?.retryable === true
}

/** A host that is not connected cannot be asked, which is not the same as a path that leads nowhere. */
export function pathsOf(current: () => Promise<OpenHost>): PathFacts {
  const realPath = batched(current, (host, places) => host.realPaths(places))
  const kindOf = batched(current, (host, places) => host.kindsOf(places))
  return { realPath, kindOf: (place) => kindOf(place).catch(() => null) }
}

/** What is asked in one go is one round trip. */
function batched<T>(
  current: () => Promise<OpenHost>,
  ask: (host: SshHost, places: readonly string[]) => Promise<readonly T[]>,
) {
  let batch: { readonly places: string[]; readonly answers: Promise<readonly T[]> } | null = null
  const answersFor = async (places: readonly string[]): Promise<readonly T[]> => {
    // Nobody joins once it is connected and asked.
    const host = await connected(current).finally(() => {
      batch = null
    })
    const found = await ask(host, places)
    if (host.state.status !== 'connected') throw new Error(`${host.spec.name} is not connected`)
    return found
  }
  return async (place: string): Promise<T> => {
    const places: string[] = batch?.places ?? []
    const index = places.push(place) - 1
    batch ??= { places, answers: answersFor(places) }
    return (await batch.answers)[index]!
  }
}

async function connected(current: () => Promise<OpenHost>): Promise<SshHost> {
  const known = await current()
  await noting(known, () => known.host.connect())
  return known.host
}

export function addressOf(known: OpenHost, version: string): Promise<ExecServerAddress> {
  const last = known.address
  if (last?.version === version && performance.now() - last.at < ADDRESS_MS) return last.told
  const told = addressNow(known, version)
  const asked = { version, at: performance.now(), told }
  known.address = asked
  told.catch(() => {
    if (known.address === asked) known.address = null
  })
  return told
}

async function addressNow(known: OpenHost, version: string): Promise<ExecServerAddress> {
  const { host } = known
  // The home there stays what it was: then the server and the logins are looked for side by side.
  const early = known.remoteHome === null ? null : protectedIn(host, known.remoteHome)
  early?.catch(() => {})
  const { url, token, remoteHome } = await host.execServer({ version })
  known.codexVersion = version
  const protectedPaths = await (early && remoteHome === known.remoteHome
    ? early
    : protectedIn(host, remoteHome))
  known.remoteHome = remoteHome
  return { url, token, protectedPaths }
}

/** Logins and more of codex's that are there, where they really are. */
async function protectedIn(host: SshHost, home: string): Promise<string[]> {
  const places = PROTECTED.map((name) => `${home}/.codex/${name}`)
  const [kinds, real] = await Promise.all([host.kindsOf(places), host.realPaths(places)])
  const there = places.map((place, index) => ({ kind: kinds[index], place: real[index] ?? place }))
  return there.filter(({ kind }) => kind !== 'missing').map(({ place }) => place)
}
