// A host that a service has a connection to, or had: what is asked of it, and what came of that last.
import type { ExecServerAddress, PathFacts } from '../../codex/index.ts'
import type { SshHost } from '../../hosts/index.ts'
import { type HostTrouble, plainError, troubleOf } from './host-trouble.ts'

/** A thread that is opened for a turn needs the address twice. */
const ADDRESS_MS = 1_000

export interface OpenHost {
  readonly host: SshHost
  /** The row that it was made of. */
  readonly of: string
  /** The last thing that was tried there, where that failed. */
  trouble: HostTrouble | null
  codexVersion: string | null
  /** Of codex, on its way there. */
  upload: { readonly sentBytes: number; readonly totalBytes: number } | null
  /** Until the way to its server is open again. */
  retry: NodeJS.Timeout | null
  /** Of its exec-server, as it was told last. */
  address: { readonly version: string; readonly at: number; readonly told: Promise<ExecServerAddress> } | null
}

export function openHost(host: SshHost, of: string): OpenHost {
  return { host, of, trouble: null, codexVersion: null, upload: null, retry: null, address: null }
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
  const look = batched(current)
  return {
    realPath: async (place) => (await look(place)).real,
    kindOf: async (place) => (await look(place).catch(() => null))?.kind ?? null,
  }
}

/** What is asked in one go is one round trip. */
function batched(current: () => Promise<OpenHost>) {
  type Look = Awaited<ReturnType<SshHost['lookAt']>>[number]
  let batch: { readonly places: string[]; readonly answers: Promise<readonly Look[]> } | null = null
  const answersFor = async (places: readonly string[]): Promise<readonly Look[]> => {
    // Nobody joins once it is connected and asked.
    const host = await connected(current).finally(() => {
      batch = null
    })
    const found = await host.lookAt(places)
    if (host.state.status !== 'connected') throw new Error(`${host.spec.name} is not connected`)
    return found
  }
  return async (place: string): Promise<Look> => {
    const places: string[] = batch?.places ?? []
    const known = places.indexOf(place)
    const index = known === -1 ? places.push(place) - 1 : known
    batch ??= { places, answers: answersFor(places) }
    return (await batch.answers)[index]!
  }
}

async function connected(current: () => Promise<OpenHost>): Promise<SshHost> {
  const known = await current()
  await noting(known, () => known.host.connect())
  return known.host
}

export function addressOf(
  known: OpenHost,
  { version, protect }: { readonly version: string; readonly protect: readonly string[] },
): Promise<ExecServerAddress> {
  const last = known.address
  if (last?.version === version && performance.now() - last.at < ADDRESS_MS) return last.told
  const told = addressNow(known, { version, protect })
  const asked = { version, at: performance.now(), told }
  known.address = asked
  told.catch(() => {
    if (known.address === asked) known.address = null
  })
  return told
}

async function addressNow(
  known: OpenHost,
  { version, protect }: { version: string; protect: readonly string[] },
): Promise<ExecServerAddress> {
  const { host } = known
  // Side by side: each takes a round trip.
  const places = host.places({ codexHome: null, protect, make: false })
  places.catch(() => {})
  const { url, token } = await host.execServer({ version })
  known.codexVersion = version
  return { url, token, protectedPaths: (await places).protection.paths }
}
