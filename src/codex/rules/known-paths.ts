// Real paths for rules, looked up before the rules are asked. Rules are pure and ask for paths as they go; the machine
// that can tell may be far away, and nothing may be decided in between.
import type { Resolve } from './places.ts'

/** As `Resolve`. Rejects when the machine cannot be asked: unlike null, no rule allows anything then. */
export type RealPath = (place: string) => Promise<string | null>

/** `a && cd b && cat c` needs a pass for each step that depends on the one before. */
const MAX_PASSES = 8
const MAX_PATHS = 4_000

/** The real paths that were looked up. Of all others nothing can be told, and `hasGaps` says that one was needed. */
export class KnownPaths {
  readonly #found: ReadonlyMap<string, string | null>
  readonly #missing = new Set<string>()

  constructor(found: ReadonlyMap<string, string | null> = new Map()) {
    this.#found = found
  }

  readonly resolve: Resolve = (place) => {
    const known = this.#found.get(place)
    if (known === undefined) this.#missing.add(place)
    return known ?? null
  }

  /** Asked for, and never looked up. */
  get missing(): readonly string[] {
    return [...this.#missing]
  }

  get hasGaps(): boolean {
    return this.#missing.size > 0
  }
}

/**
 * The real paths that `ask` needs. It is called until it needs no other: what it asks for can depend on what it was told.
 * With too many paths or steps, a machine that cannot be asked or an aborted signal the result has gaps.
 */
export async function lookUpPaths(
  ask: (paths: KnownPaths) => void,
  realPath: RealPath,
  { signal }: { signal?: AbortSignal } = {},
): Promise<KnownPaths> {
  const found = new Map<string, string | null>()
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const paths = new KnownPaths(found)
    ask(paths)
    const { missing } = paths
    if (missing.length === 0 || found.size + missing.length > MAX_PATHS) break
    const real = await Promise.all(missing.map(realPath)).catch(() => null)
    if (real === null || signal?.aborted) return new KnownPaths()
    for (const [index, place] of missing.entries()) found.set(place, real[index] ?? null)
  }
  return new KnownPaths(found)
}
