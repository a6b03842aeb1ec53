import { onTestFinished } from 'vitest'
import { TcpProxy } from './failing-network.ts'

export type { TcpProxy }

/** Closed when the test has finished. */
export async function tcpProxy(port: number): Promise<TcpProxy> {
  const proxy = await TcpProxy.to(port)
  onTestFinished(() => proxy.close())
  return proxy
}
