// Where applications keep their files. The machine is passed in: nothing here looks at the one it runs on.
import path from 'node:path'

export interface Machine {
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
}

export interface Places extends Machine {
  /** The project whose files are wanted; null for those of the user alone. */
  readonly project: string | null
  /** The names of the folders in a folder; none when it is not there. */
  readonly foldersIn: (folder: string) => readonly string[]
}

/** Below the home folder. */
export function inHome(at: Machine, ...names: readonly string[]): string {
  return join(at, at.home, ...names)
}

/** Of applications that keep to the desktop's own rules: `~/Library/Application Support`, `%APPDATA%`, `~/.config`. */
export function inAppData(at: Machine, ...names: readonly string[]): string {
  if (at.platform === 'darwin') return inHome(at, 'Library', 'Application Support', ...names)
  if (at.platform === 'win32') return join(at, at.env.APPDATA || inHome(at, 'AppData', 'Roaming'), ...names)
  return inDotConfig(at, ...names)
}

/** Of applications that use `~/.config` on every system. */
export function inDotConfig(at: Machine, ...names: readonly string[]): string {
  const own = at.platform === 'win32' ? undefined : at.env.XDG_CONFIG_HOME
  return own ? join(at, own, ...names) : inHome(at, '.config', ...names)
}

/** None when no project is wanted. */
export function inProject(at: Places, ...names: readonly string[]): string[] {
  return at.project === null ? [] : [join(at, at.project, ...names)]
}

export function join({ platform }: Machine, ...names: readonly string[]): string {
  return (platform === 'win32' ? path.win32 : path.posix).join(...names)
}
