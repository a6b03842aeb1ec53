import { isAtLeast, TESTED_VERSIONS } from '../../codex/index.ts'
import { CodexUnsuitableError, type LocalHost, type SuitableCodex } from '../../hosts/index.ts'
import { type Check, fail, messageOf, ok, warn } from './check.ts'

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
  const { oldest, newest } = TESTED_VERSIONS
  if (isAtLeast(newest, version)) return ok('codex', `${found} (tested: ${oldest} to ${newest})`)
  const fix = `Drawbridge is tested with ${oldest} to ${newest}; if something is odd, try ${newest}`
  return warn('codex', `${found} (newer than tested)`, fix)
}
