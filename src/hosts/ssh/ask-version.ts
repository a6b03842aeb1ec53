import type { CheckedAddress } from '../websocket-address.ts'
import { connectWebSocket } from '../websocket-connect.ts'

/** Shakes hands with a server of codex and gives the version it names; null when it names none. */
export async function askVersion(
  address: CheckedAddress,
  {
    kind,
    timeoutMs,
    signal,
  }: { kind: 'exec-server' | 'app-server'; timeoutMs: number; signal?: AbortSignal },
): Promise<string | null> {
  const { socket } = await connectWebSocket(address, { timeoutMs, signal })
  const { promise, resolve, reject } = Promise.withResolvers<string | null>()
  const timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs)
  socket.on('message', (data) => resolve(versionIn(String(data))))
  socket.on('close', () => reject(new Error('the connection was closed')))
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
  const { result } = Object(JSON.parse(text)) as { result?: unknown }
  const { environmentInfo, userAgent } = Object(result) as Record<string, unknown>
  const { executorVersion } = Object(environmentInfo) as Record<string, unknown>
  const said = executorVersion ?? userAgent
  return typeof said === 'string' ? (/\d+\.\d+\.\d+/.exec(said)?.[0] ?? null) : null
}
