// What stands between a folder and this machine: whether somebody trusts it, and what its commands cannot read.
import { homedir } from 'node:os'
import path from 'node:path'
import { folderTrust, protectedPaths, type Settings, TrustedFolders } from '../../config/index.ts'

export interface Guard {
  readonly trusted: TrustedFolders
  /** Absolute paths that commands in untrusted folders cannot read, besides those of codex and Drawbridge. */
  readonly protect: readonly string[]
  /** The root of what a person trusts that this folder is in; null when nobody does, or it cannot be told. */
  trustedRoot(place: { readonly cwd: string; readonly codexHome: string | null }): string | null
}

interface GuardOptions {
  readonly dataDir: string
  readonly env: NodeJS.ProcessEnv
  readonly settings: Pick<Settings, 'protectedPaths'>
  /** Hears that our record of trust cannot be read: until it can, nothing is trusted by it. */
  readonly tell: (line: string) => void
}

export function guardOf({ dataDir, env, settings, tell }: GuardOptions): Guard {
  const home = env.HOME || homedir()
  const trusted = new TrustedFolders(path.join(dataDir, 'trusted-folders.json'))
  return {
    trusted,
    protect: protectedPaths(settings.protectedPaths, { env, home }),
    trustedRoot({ cwd, codexHome }) {
      try {
        const folder = { folder: cwd, codexHome: codexHome ?? defaultCodexHome(env), trusted }
        const { state, root } = folderTrust(folder)
        return state === 'trusted' ? root : null
      } catch (error) {
        tell(`the folder ${cwd} counts as untrusted: ${error instanceof Error ? error.message : error}`)
        return null
      }
    },
  }
}

export function defaultCodexHome(env: NodeJS.ProcessEnv): string {
  return env.CODEX_HOME || path.join(env.HOME || homedir(), '.codex')
}
