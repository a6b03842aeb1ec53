/** Hosts that are reached with ssh. Most programs have none, and need none of it. */
export function loadSshHosts(): Promise<typeof import('./ssh/index.ts')> {
  return import('./ssh/index.ts')
}
