// What stands between a folder and this machine: whether somebody trusts it, and what its commands cannot read.
import { homedir } from 'node:os'
import path from 'node:path'
import type { ThreadPolicy } from '../../codex/index.ts'
import {
  folderTrust,
  isForged,
  protectedPaths,
  type Settings,
  TrustedFolders,
  trustedFoldersFile,
} from '../../config/index.ts'

export interface Guard {
  /** Absolute paths that commands in untrusted folders cannot read, besides those of codex and Drawbridge. */
  readonly protect: readonly string[]
  /** As a thread there is told. What cannot be told is untrusted. */
  trustOf(place: Place): Pick<ThreadPolicy, 'trustedRoot' | 'distrusted'>
}

interface Place {
  readonly cwd: string
  /** null: the default. */
  readonly codexHome: string | null
}

interface GuardOptions {
  readonly dataDir: string
  readonly env: NodeJS.ProcessEnv
  readonly settings: Pick<Settings, 'protectedPaths'>
  /** Hears that our record of trust cannot be read: until it can, nothing is trusted by it. */
  readonly tell: (line: string) => void
}

export function guardOf({ dataDir, env, settings, tell }: GuardOptions): Guard {
  const trusted = new TrustedFolders(trustedFoldersFile(dataDir))
  return {
    protect: protectedPaths(settings.protectedPaths, { env, home: homeOf(env) }),
    trustOf({ cwd, codexHome: named }) {
      const codexHome = named ?? defaultCodexHome(env)
      try {
        const { state, root } = folderTrust({ folder: cwd, codexHome, trusted })
        if (state === 'trusted') return { trustedRoot: root }
      } catch (error) {
        tell(`the folder ${cwd} counts as untrusted: ${error instanceof Error ? error.message : error}`)
      }
      return isForged({ folder: cwd, codexHome }) ? { distrusted: cwd } : {}
    },
  }
}

export function defaultCodexHome(env: NodeJS.ProcessEnv): string {
  return path.resolve(env.CODEX_HOME || path.join(homeOf(env), '.codex'))
}

export function homeOf(env: NodeJS.ProcessEnv): string {
  return env.HOME || homedir()
}
