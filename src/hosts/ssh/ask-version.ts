import { type AppServerUnreachableCode, AppServerUnreachableError } from '../app-server-unreachable-error.ts'
import type { CheckedAddress } from '../websocket-address.ts'
import { connectWebSocket } from '../websocket-connect.ts'

/** Who answers need not be codex. */
const MAX_ANSWER_BYTES = 1024 * 1024

/** Shakes hands with a server of codex and gives the version it names; null when it names none. */
export async function askVersion(
  address: CheckedAddress,
  {
    kind,
    timeoutMs,
    signal,
  }: { kind: 'exec-server' | 'app-server'; timeoutMs: number; signal?: AbortSignal },
): Promise<string | null> {
  const unreachable = (code: AppServerUnreachableCode, what: string) =>
    new AppServerUnreachableError(`the ${kind} at ${address.name} ${what}`, {
      code,
      hint: 'it may be ending: try again',
      retryable: true,
    })
  const { socket } = await connectWebSocket(address, { timeoutMs, maxFrameBytes: MAX_ANSWER_BYTES, signal })
  const { promise, resolve, reject } = Promise.withResolvers<string | null>()
  const silent = () => unreachable('app-server-connect-timed-out', `gave no answer within ${timeoutMs} ms`)
  const timer = setTimeout(() => reject(silent()), timeoutMs)
  socket.on('message', (data) => resolve(versionIn(String(data))))
  socket.on('close', () => reject(unreachable('app-server-unreachable', 'closed the connection')))
  try {
    socket.resume()
    const params =
      kind === 'exec-server'
        ? { clientName: 'drawbridge' }
        : { clientInfo: { name: 'drawbridge', title: 'Drawbridge', version: '0' } }
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }))
    return await promise
  } finally {
    clearTimeout(timer)
    socket.terminate()
  }
}

/** exec-server says it outright, app-server in what it calls itself: `name/0.166.0 (…)`. */
function versionIn(text: string): string | null {
  const { result } = Object(parsed(text)) as { result?: unknown }
  const { environmentInfo, userAgent } = Object(result) as Record<string, unknown>
  const { executorVersion } = Object(environmentInfo) as Record<string, unknown>
  const said = executorVersion ?? userAgent
  return typeof said === 'string' ? (/\d+\.\d+\.\d+/.exec(said)?.[0] ?? null) : null
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
