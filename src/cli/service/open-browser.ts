import { spawn } from 'node:child_process'

/** Opens a page for whoever sits at this machine, where there is a screen; otherwise nothing happens. Whether it tried. */
export function openBrowser(url: string, env: NodeJS.ProcessEnv): boolean {
  const command = browserCommand(env, process.platform)
  if (!command) return false
  const [program, ...args] = command
  const child = spawn(program, [...args, url], { detached: true, stdio: 'ignore' })
  // The link is printed anyway.
  child.on('error', () => {})
  child.unref()
  return true
}

export function browserCommand(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
): [string, ...string[]] | null {
  const hasDisplay = Boolean(env.DISPLAY || env.WAYLAND_DISPLAY)
  // The screen of that machine is not in front of who typed this.
  if (env.SSH_CONNECTION && !hasDisplay) return null
  if (platform === 'darwin') return ['open']
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  return hasDisplay ? ['xdg-open'] : null
}
