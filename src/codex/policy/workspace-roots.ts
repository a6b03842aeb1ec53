// The folders a thread works in, as rules understand it. A turn may change them for those that follow.
import type { ClientParams, protocol } from '../protocol/index.ts'

export type Workplace = Pick<protocol.v2.ThreadStartResponse, 'cwd' | 'runtimeWorkspaceRoots' | 'sandbox'>

type Overrides = Pick<ClientParams<'turn/start'>, 'cwd' | 'runtimeWorkspaceRoots' | 'sandboxPolicy'>

export function workplaceAfter(
  workplace: Workplace,
  { cwd, runtimeWorkspaceRoots, sandboxPolicy }: Overrides,
): Workplace {
  return {
    cwd: cwd ?? workplace.cwd,
    // Those of another folder are codex's to say again.
    runtimeWorkspaceRoots: runtimeWorkspaceRoots ?? (cwd ? [] : workplace.runtimeWorkspaceRoots),
    sandbox: sandboxPolicy ?? workplace.sandbox,
  }
}

/** Its folder, codex's own workspace roots, and what else it may write to. Older versions do not report all of these. */
export function workspaceRoots({ cwd, runtimeWorkspaceRoots, sandbox }: Partial<Workplace>): string[] {
  const writable = sandbox?.type === 'workspaceWrite' ? sandbox.writableRoots : []
  const roots = [cwd, ...(runtimeWorkspaceRoots ?? []), ...(writable ?? [])]
  return [...new Set(roots)].filter((root) => typeof root === 'string')
}
