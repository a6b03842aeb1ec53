// Several app-servers that start at once on a fresh CODEX_HOME all but one exit with "failed to initialize sqlite
// state runtime" (0.166). So until one app-server on a home has answered, the next waits for it.

/** By home: settles with whether that start went well. A good one stays, and lets everyone pass. */
const starts = new Map<string, Promise<boolean>>()

/** A start that is not the first on its home has nothing to report. */
export type ReportStart = (wentWell: boolean) => void

/** Waits until this home is ready, or until it is our turn to make it so; then the outcome must be reported. */
export async function awaitFirstStart(home: string, options: { signal?: AbortSignal }): Promise<ReportStart> {
  for (;;) {
    const earlier = starts.get(home)
    if (!earlier) return beFirst(home)
    if (await orAbort(earlier, options.signal)) return () => {}
  }
}

function beFirst(home: string): ReportStart {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  starts.set(home, promise)
  let isReported = false
  return (wentWell) => {
    if (isReported) return
    isReported = true
    if (!wentWell) starts.delete(home)
    resolve(wentWell)
  }
}

async function orAbort<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const onAbort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([promise, aborted.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
