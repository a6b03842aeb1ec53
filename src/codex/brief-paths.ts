import type { PathFacts } from './host.ts'

/** Less than a person needs to change a folder and begin a turn in it. */
const KEPT_MS = 1_000
const MAX_KEPT = 100

/**
 * For the folder of a thread on another machine, which is looked up several times while a turn begins: asked once, both
 * facts side by side. Not for rules: what a command has just changed must be seen.
 */
export function rememberedBriefly(paths: PathFacts): PathFacts {
  const kept = new Map<string, { readonly at: number } & Facts>()
  const factsOf = (place: string): Facts => {
    const known = kept.get(place)
    if (known && performance.now() - known.at < KEPT_MS) return known
    if (kept.size >= MAX_KEPT) kept.clear()
    const facts = { at: performance.now(), real: paths.realPath(place), kind: paths.kindOf(place) }
    // Whoever asks for it hears of its failure, and the next one asks anew.
    facts.real.catch(() => kept.delete(place))
    kept.set(place, facts)
    return facts
  }
  return { realPath: (place) => factsOf(place).real, kindOf: (place) => factsOf(place).kind }
}

interface Facts {
  readonly real: ReturnType<PathFacts['realPath']>
  readonly kind: ReturnType<PathFacts['kindOf']>
}
