// Plugins that codex has installed, as `plugin/list` tells.
import type { Codex } from '../../codex/index.ts'

const LIST_MS = 8_000
const DEFAULT_MARKETPLACE = 'openai-curated'

export interface FoundPlugins {
  /** `name@marketplace`, and whether it is on; null when codex could not tell. */
  readonly plugins: ReadonlyMap<string, boolean> | null
  readonly error: string | null
}

/** Never rejects but when the signal aborts: without plugins the rest goes on. */
export async function installedPlugins(
  codex: Codex,
  { signal }: { signal: AbortSignal },
): Promise<FoundPlugins> {
  try {
    const { marketplaces } = await codex.request('plugin/list', {}, { timeoutMs: LIST_MS, signal })
    const plugins = new Map<string, boolean>()
    for (const { name: marketplace, plugins: listed } of marketplaces)
      for (const { name, installed, enabled, availability } of listed) {
        const id = `${name}@${marketplace || DEFAULT_MARKETPLACE}`
        if (!installed || (availability && availability !== 'AVAILABLE') || plugins.has(id)) continue
        plugins.set(id, enabled)
      }
    return { plugins, error: null }
  } catch (error) {
    signal.throwIfAborted()
    return { plugins: null, error: error instanceof Error ? error.message : String(error) }
  }
}
