import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'

/**
 * Pings a socket and says once when the other side has been silent for two intervals: it may be gone without a word, or
 * stopped. Whatever arrives or leaves counts as life, so a frame that takes long does not. Returns how to stop.
 */
export function watchPulse(
  socket: WebSocket,
  options: { readonly stream: Socket; readonly everyMs: number; readonly onSilent: () => void },
): () => void {
  const { stream, everyMs, onSilent } = options
  const seen = () => ({ received: stream.bytesRead, unsent: socket.bufferedAmount })
  let before = seen()
  let isAwaited = false

  function beat(): void {
    const now = seen()
    const isSilent = now.received === before.received && now.unsent >= before.unsent
    if (isAwaited && isSilent) {
      clearInterval(timer)
      onSilent()
      return
    }
    isAwaited = true
    socket.ping()
    before = seen()
  }

  // After an event loop that was blocked, what has arrived is read first; then we look.
  const timer = setInterval(() => setImmediate(() => socket.readyState === socket.OPEN && beat()), everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
