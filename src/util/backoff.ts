/** Exponential backoff with full jitter over its upper half, so that many callers do not come back together. */
export function backoffMs(
  attempt: number,
  { baseMs, maxMs, random }: { baseMs: number; maxMs: number; random: () => number },
): number {
  const ceiling = Math.min(maxMs, baseMs * 2 ** attempt)
  return ceiling / 2 + (ceiling / 2) * random()
}
