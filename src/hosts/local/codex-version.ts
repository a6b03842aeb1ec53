import { stat } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { CodexUnsuitableError } from './codex-unsuitable-error.ts'
import { type BriefRun, runBriefly } from './run-briefly.ts'

/** The oldest codex whose app-server we know: it has the unix listener and the v2 protocol. */
export const MINIMUM_CODEX_VERSION = '0.125.0'

const TIMEOUT_MS = 10_000
/** How long a program that is just being written is waited for. */
const BUSY_MS = 2_000

/** By path, modification time and size, so that an update in place is noticed. */
const known = new Map<string, string>()

/** Asks the binary for its version and refuses one that is too old. Answers from memory while the file is the same. */
export async function codexVersion(
  codexPath: string,
  options: { env: Record<string, string>; timeoutMs?: number; signal?: AbortSignal },
): Promise<string> {
  const key = await fingerprint(codexPath)
  const remembered = key && known.get(key)
  if (remembered) return remembered
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS
  const run = await start(codexPath, { ...options, timeoutMs })
  const version = versionIn(run, { codexPath, timeoutMs })
  if (isOlder(version, MINIMUM_CODEX_VERSION)) {
    const message = `codex at ${codexPath} is ${version}; Drawbridge needs ${MINIMUM_CODEX_VERSION} or newer`
    throw new CodexUnsuitableError(message, { code: 'codex-too-old', codexPath })
  }
  if (key) known.set(key, version)
  return version
}

async function start(
  codexPath: string,
  options: { env: Record<string, string>; timeoutMs: number; signal?: AbortSignal },
): Promise<BriefRun> {
  const until = performance.now() + BUSY_MS
  for (;;) {
    try {
      return await runBriefly(codexPath, ['--version'], options)
    } catch (error) {
      options.signal?.throwIfAborted()
      const isBusy = (error as NodeJS.ErrnoException).code === 'ETXTBSY'
      if (!isBusy || performance.now() > until) throw spawnFailure(codexPath, error)
      await delay(BUSY_MS / 40)
    }
  }
}

function versionIn(
  run: BriefRun,
  { codexPath, timeoutMs }: { codexPath: string; timeoutMs: number },
): string {
  const asked = `\`${codexPath} --version\``
  if (run.timedOut) {
    const message = `${asked} did not answer within ${timeoutMs} ms`
    throw new CodexUnsuitableError(message, { code: 'codex-version-timed-out', codexPath, retryable: true })
  }
  if (run.exitCode !== 0) {
    const how = run.exitCode === null ? 'was ended by a signal' : `ended with exit code ${run.exitCode}`
    const message = `${asked} ${how}: ${run.stderr.trim().slice(-2000) || 'it said nothing on stderr'}`
    throw new CodexUnsuitableError(message, { code: 'codex-version-failed', codexPath })
  }
  const version = /\d+\.\d+\.\d+/.exec(run.stdout)?.[0]
  if (version) return version
  const message = `${asked} printed no version but ${JSON.stringify(run.stdout.slice(0, 200))}`
  throw new CodexUnsuitableError(message, { code: 'codex-version-unparsable', codexPath })
}

/** What the system said when it would not start codex, in our words. */
export function spawnFailure(codexPath: string, cause: unknown): CodexUnsuitableError {
  const systemCode = String((cause as NodeJS.ErrnoException).code)
  const failed = (
    what: string,
    options: Pick<CodexUnsuitableError, 'code'> & Partial<CodexUnsuitableError>,
  ) =>
    new CodexUnsuitableError(`cannot start codex at ${codexPath}: ${what}`, { codexPath, cause, ...options })
  switch (systemCode) {
    case 'ENOENT':
      return failed('there is no such file, or the interpreter it names is missing', {
        code: 'codex-not-found',
      })
    case 'EACCES':
    case 'EPERM':
      return failed('permission denied', { code: 'codex-not-executable' })
    case 'ENOEXEC':
      return failed('it is not a program for this machine', { code: 'codex-not-executable' })
    case 'ETXTBSY':
      return failed('it is being written at this moment', {
        code: 'codex-not-executable',
        hint: 'wait until its installation has finished, then try again',
        retryable: true,
      })
    default:
      return failed(systemCode, { code: 'codex-spawn-failed', retryable: true })
  }
}

async function fingerprint(file: string): Promise<string | null> {
  try {
    const { mtimeMs, size } = await stat(file)
    return `${file} ${mtimeMs} ${size}`
  } catch {
    return null
  }
}

/** Of two versions of three numbers. */
export function isOlder(version: string, minimum: string): boolean {
  const parts = version.split('.').map(Number)
  const wanted = minimum.split('.').map(Number)
  const differing = wanted.findIndex((part, index) => part !== parts[index])
  return differing !== -1 && parts[differing]! < wanted[differing]!
}
