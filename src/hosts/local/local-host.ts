import type { Host } from '../../codex/index.ts'
import type { OwnedAppServer } from '../owned-app-server.ts'
import { type LocalHostOptions, localCodex, type SuitableCodex } from './local-codex.ts'
import { localPathsFrom } from './path-facts.ts'
import { startAppServer } from './start-app-server.ts'

export type { LocalHostOptions, SuitableCodex } from './local-codex.ts'

export interface LocalHost extends Host {
  readonly registryDir: string | null
  /** Which codex `open` would start. Rejects with a CodexUnsuitableError when there is none. */
  inspect(options?: { signal?: AbortSignal }): Promise<SuitableCodex>
  open(options?: { signal?: AbortSignal }): Promise<OwnedAppServer>
}

/** codex on this machine, over stdio. Every `open` starts an app-server of its own. */
export function localHost(options: LocalHostOptions = {}): LocalHost {
  const local = localCodex(options)
  const { registryDir } = local.settings
  const inspect: LocalHost['inspect'] = (limit = {}) => local.inspect(limit)

  async function open({ signal }: { signal?: AbortSignal } = {}): Promise<OwnedAppServer> {
    const { codex, reportStart } = await local.prepare({ signal })
    try {
      signal?.throwIfAborted()
      const protection = local.protection(codex, { socketFolder: null })
      const appServer = await startAppServer({ ...local.settings, codex, reportStart, protection })
      if (signal?.aborted) await appServer.close()
      signal?.throwIfAborted()
      return appServer
    } catch (error) {
      reportStart(false)
      throw error
    }
  }

  return { name: 'local', registryDir, inspect, open, ...localPathsFrom(options.cwd) }
}
