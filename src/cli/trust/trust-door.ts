// Where trust is recorded and whose codex counts, for one data folder and one environment.
import { statSync } from 'node:fs'
import type { TrustList, TrustLook } from '../../api/index.ts'
import {
  codexProjects,
  lookAtProject,
  type ProjectLook,
  protectedPaths,
  type TrustedFolder,
  TrustedFolders,
  trustedFoldersFile,
  trustOf,
} from '../../config/index.ts'
import { defaultCodexHome, homeOf } from './guard.ts'

interface TrustPlaceOptions {
  readonly dataDir: string
  readonly env: NodeJS.ProcessEnv
  /** As the settings have them, not yet expanded. */
  readonly protectedPaths: readonly string[]
  readonly now: () => number
}

/** What the API's TrustDoor and the `trust` command are made of. Reads the disk each time: other processes write too. */
export class TrustPlace {
  readonly #options: TrustPlaceOptions
  readonly #trusted: TrustedFolders

  constructor(options: TrustPlaceOptions) {
    this.#options = options
    this.#trusted = new TrustedFolders(trustedFoldersFile(options.dataDir))
  }

  list(): TrustList {
    const { env } = this.#options
    return {
      folders: this.#trusted.list().map(({ layers, ...rest }) => ({ ...rest, layers: [...layers] })),
      codexFolders: codexProjects(defaultCodexHome(env)),
      protectedPaths: protectedPaths(this.#options.protectedPaths, { env, home: homeOf(env) }),
    }
  }

  /** null: no such folder. */
  look({ cwd, codexHome }: { cwd: string; codexHome: string | null }): TrustLook | null {
    if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) return null
    const home = codexHome ?? defaultCodexHome(this.#options.env)
    const look = lookAtProject(cwd, { codexHome: home })
    const trust = trustOf(look, { folder: cwd, codexHome: home, trusted: this.#trusted })
    return { trust, look: sendable(look) }
  }

  trust(look: ProjectLook, by: string): TrustList['folders'][number] {
    const { layers, ...rest }: TrustedFolder = this.#trusted.trust(look, { by, now: this.#options.now() })
    return { ...rest, layers: [...layers] }
  }

  revoke(root: string): boolean {
    return this.#trusted.revoke(root)
  }
}

/** The contract's arrays are not readonly. */
function sendable(look: ProjectLook): TrustLook['look'] {
  return {
    ...look,
    layers: look.layers.map((layer) => ({
      ...layer,
      mcpServers: layer.mcpServers.map((server) => ({
        ...server,
        args: [...server.args],
        envNames: [...server.envNames],
      })),
      hooks: [...layer.hooks],
      rules: [...layer.rules],
      agents: [...layer.agents],
      settings: [...layer.settings],
    })),
  }
}
