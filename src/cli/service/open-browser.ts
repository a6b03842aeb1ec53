import { spawn } from 'node:child_process'

/** Opens a page for whoever sits at this machine, where there is a screen; otherwise nothing happens. */
export function openBrowser(url: string, env: NodeJS.ProcessEnv): void {
  const command = browserCommand(env, process.platform)
  if (!command) return
  const [program, ...args] = command
  const child = spawn(program, [...args, url], { detached: true, stdio: 'ignore' })
  // The link is printed anyway.
  child.on('error', () => {})
  child.unref()
}

export function browserCommand(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
): [string, ...string[]] | null {
  if (platform === 'darwin') return ['open']
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : null
}
