/** App-servers that run on hosts by themselves. Most programs have none, and need none of it. */
export function loadRemoteHosts(): Promise<typeof import('./remote/index.ts')> {
  return import('./remote/index.ts')
}
