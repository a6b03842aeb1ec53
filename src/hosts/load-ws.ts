import type { WebSocket } from 'ws'
import { DrawbridgeError } from '../codex/index.ts'

/** Loaded with the first socket. `ws` is CommonJS, and a bundle of ES modules may hold it without a way to run it. */
export async function loadWs(): Promise<{ readonly WebSocket: typeof WebSocket }> {
  try {
    return await import('ws')
  } catch (cause) {
    const message = `the package ws could not be loaded: ${(cause as Error).message}. In a bundle, keep it outside: esbuild --external:ws, with ws installed beside the bundle`
    throw new DrawbridgeError(message, { code: 'ws-not-loaded', cause })
  }
}
