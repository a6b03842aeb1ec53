// The server is loaded when it is first wanted: whoever has only the client, such as the CLI, does not pay for it.
import type { ApiMetrics } from './metrics.ts'
import type { ServedApi, ServeOptions } from './serve.ts'

/** Makes the token if there is none. Rejects when the address cannot be had, or must not. */
export async function serveApi(options: ServeOptions): Promise<ServedApi> {
  const server = await import('./serve.ts')
  return server.serveApi(options)
}

/** For the task service, which tells it what happens, and for `serveApi`, which shows it. */
export async function makeApiMetrics(): Promise<ApiMetrics> {
  const metrics = await import('./metrics.ts')
  return new metrics.ApiMetrics()
}
