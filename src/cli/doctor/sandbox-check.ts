// Whether codex can confine a command on this machine. Prerequisites only hint at it, so one is run.
import type { ClientParams, protocol } from '../../codex/index.ts'
import { type Check, fail, ok } from './check.ts'

type Ran = protocol.v2.CommandExecResponse

const TIMEOUT_MS = 10_000
// In a subshell: where the redirection is refused, dash would leave at once.
const TRY_TO_WRITE = 'f=.drawbridge-doctor-$$; (: > "$f") 2>/dev/null && rm -f "$f" && echo written; true'

const FIX: Partial<Record<NodeJS.Platform, string>> = {
  linux:
    'install bubblewrap with the package manager, and allow unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone=1; on Ubuntu kernel.apparmor_restrict_unprivileged_userns=0; in a container, its seccomp profile)',
}

/** A command for `command/exec`: in the read-only sandbox it tries to write a file to `folder`. */
export function sandboxProbe(folder: string, platform: NodeJS.Platform): ClientParams<'command/exec'> {
  const command = platform === 'win32' ? ['cmd', '/c', 'exit 0'] : ['sh', '-c', TRY_TO_WRITE]
  const sandboxPolicy = { type: 'readOnly' as const, networkAccess: false }
  return { command, cwd: folder, sandboxPolicy, timeoutMs: TIMEOUT_MS }
}

export function judgeSandbox(
  { exitCode, stdout, stderr }: Ran,
  { platform, hasBubblewrap }: { platform: NodeJS.Platform; hasBubblewrap: boolean },
): Check {
  if (exitCode !== 0) {
    const why = stderr.trim().slice(-300) || 'it said nothing'
    const what = `a command could not run in the read-only sandbox (exit ${exitCode}): ${why}`
    return fail('sandbox', what, FIX[platform] ?? null)
  }
  if (stdout.includes('written'))
    return fail(
      'sandbox',
      'a command in the read-only sandbox could write: it does not confine anything here',
    )
  const confined = platform === 'win32' ? '' : ' and could not write'
  return ok(
    'sandbox',
    `a command ran in the read-only sandbox${confined}${means({ platform, hasBubblewrap })}`,
  )
}

/** codex falls back to its own bubblewrap where the one on PATH does not do. */
function means({ platform, hasBubblewrap }: { platform: NodeJS.Platform; hasBubblewrap: boolean }): string {
  if (platform !== 'linux') return ''
  return hasBubblewrap ? ' (bubblewrap is on PATH)' : ' (no bubblewrap on PATH: Codex brought its own)'
}
