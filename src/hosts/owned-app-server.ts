import type { AppServer } from '../codex/index.ts'

/** A codex process that we started, or took over. */
export interface OwnedAppServer extends AppServer {
  readonly pid: number
  readonly codexVersion: string
  /** Settles when it is gone with all it had started, or as gone as we could make it. Never rejects. */
  readonly ended: Promise<AppServerEnd>
}

export interface AppServerEnd {
  /** One sentence: exit code or signal, and what was on stderr last. */
  readonly reason: string
  readonly stderrTail: readonly string[]
}

const STDERR_LINES_TOLD = 12
const MAX_SAID_CHARACTERS = 500

/** codex prints a backtrace after its last words. */
function tellingLine(stderrTail: readonly string[]): string | undefined {
  return stderrTail.findLast((line) => /^Error: |panicked at/.test(line)) ?? stderrTail.at(-1)
}

export function toEnd(how: string, stderrTail: readonly string[]): AppServerEnd {
  const said = tellingLine(stderrTail)?.slice(0, MAX_SAID_CHARACTERS)
  return {
    reason: said ? `${how}; it last said: ${said}` : how,
    stderrTail: stderrTail.slice(-STDERR_LINES_TOLD),
  }
}

export function howItEnded(exit: { exitCode: number | null; signalCode: string | null }): string {
  return exit.signalCode ? `codex was ended by ${exit.signalCode}` : `codex exited with code ${exit.exitCode}`
}
