// What is reached without leaving this machine.
/** A proxy knows nothing of a model on loopback. */
export function direct(env: NodeJS.ProcessEnv): Record<string, string> {
  const names = Object.keys(env).filter((name) => /^(https?|all)_proxy$/i.test(name) && env[name])
  if (names.length === 0) return {}
  const hosts = [env.NO_PROXY ?? env.no_proxy, '127.0.0.1'].filter(Boolean).join(',')
  return { NO_PROXY: hosts, no_proxy: hosts }
}

/** Where commands on this machine reach a service that listens everywhere. */
export function localUrl(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}
