import { homedir } from 'node:os'
import path from 'node:path'

/** Where Drawbridge keeps what must outlive it, by the habits of the platform. */
export function dataDir(options: { env: NodeJS.ProcessEnv; platform: NodeJS.Platform }): string {
  const { env, platform } = options
  if (env.DRAWBRIDGE_HOME) return path.resolve(env.DRAWBRIDGE_HOME)
  const home = (platform === 'win32' ? env.USERPROFILE : env.HOME) || homedir()
  if (platform === 'win32')
    return path.join(env.LOCALAPPDATA || path.join(home, 'AppData', 'Local'), 'drawbridge')
  if (platform === 'darwin') return path.join(home, 'Library', 'Application Support', 'drawbridge')
  // The XDG specification has relative paths ignored.
  const state = env.XDG_STATE_HOME && path.isAbsolute(env.XDG_STATE_HOME) ? env.XDG_STATE_HOME : undefined
  return path.join(state ?? path.join(home, '.local', 'state'), 'drawbridge')
}
