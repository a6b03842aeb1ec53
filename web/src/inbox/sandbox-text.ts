import type { Question, Task } from '../api/contract.ts'

interface Sandbox {
  readonly type?: unknown
  readonly networkAccess?: unknown
}

/** The sandbox that holds for the turn that asks, in codex's own words. Nothing is said before it is known. */
export function sandboxText(
  { turnId, parent }: Pick<Question, 'turnId' | 'parent'>,
  task: Pick<Task, 'turnId' | 'effectivePolicy'> | undefined,
): string {
  const asking = parent?.turnId ?? turnId
  const isCurrent = task !== undefined && (asking === null || task.turnId === null || task.turnId === asking)
  const sandbox = isCurrent ? (task.effectivePolicy?.sandbox as Sandbox | undefined) : undefined
  if (typeof sandbox?.type !== 'string') return 'sandbox: loading…'
  const hasNetwork = sandbox.networkAccess === true || sandbox.networkAccess === 'enabled'
  const network = hasNetwork ? 'with network' : 'no network'
  switch (sandbox.type) {
    case 'readOnly':
      return `sandbox: read-only, ${network}`
    case 'workspaceWrite':
      return `sandbox: may write in the workspace, ${network}`
    case 'dangerFullAccess':
      return 'no sandbox: full access'
    default:
      return `sandbox: ${sandbox.type}`
  }
}
