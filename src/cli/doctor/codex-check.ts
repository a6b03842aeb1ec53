import {
  CodexUnsuitableError,
  type LocalHost,
  MINIMUM_CODEX_VERSION,
  type SuitableCodex,
} from '../../hosts/index.ts'
import { type Check, fail, messageOf, ok, warn } from './check.ts'

/** Our tests have run against every minor version from the minimum to this one. */
export const NEWEST_TESTED_CODEX = '0.166.0'

const FOUND_BY: Record<SuitableCodex['source'], string> = {
  option: 'named by --codex',
  env: 'named by DRAWBRIDGE_CODEX',
  path: 'found on PATH',
  bundled: 'installed with Drawbridge',
}

/** Which codex would run. Rejects only when the signal aborts. */
export async function checkCodex(
  host: LocalHost,
  { signal }: { signal: AbortSignal },
): Promise<{ check: Check; codex: SuitableCodex | null }> {
  try {
    const codex = await host.inspect({ signal })
    return { check: judgeCodex(codex), codex }
  } catch (error) {
    signal.throwIfAborted()
    const fix = error instanceof CodexUnsuitableError ? error.hint : null
    return { check: fail('codex', messageOf(error), fix), codex: null }
  }
}

export function judgeCodex({ version, source, path }: SuitableCodex): Check {
  const found = `codex ${version}, ${FOUND_BY[source]}: ${path}`
  if (!isNewer(version, NEWEST_TESTED_CODEX)) return ok('codex', found)
  const tested = `Drawbridge is tested with ${MINIMUM_CODEX_VERSION} to ${NEWEST_TESTED_CODEX}`
  return warn(
    'codex',
    `${found} (newer than tested)`,
    `${tested}; if something is odd, try ${NEWEST_TESTED_CODEX}`,
  )
}

function isNewer(version: string, than: string): boolean {
  return version.localeCompare(than, 'en', { numeric: true }) > 0
}
