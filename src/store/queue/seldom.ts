const QUIET_MS = 60_000

/** Passes each kind of error on once a minute: without a database every look fails, every few seconds. */
export function seldom(
  onError: (error: unknown) => void,
  { now }: { readonly now: () => number },
): (error: unknown) => void {
  const toldAt = new Map<string, number>()
  return (error) => {
    const { code, message } = error as { code?: string; message?: string }
    const kind = code ?? message ?? String(error)
    const time = now()
    for (const [each, at] of toldAt) if (time - at >= QUIET_MS) toldAt.delete(each)
    if (toldAt.has(kind)) return
    toldAt.set(kind, time)
    // pg-boss reports plain objects.
    onError(error instanceof Error ? error : new Error(message ?? String(error), { cause: error }))
  }
}
