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
  const network = networkText(sandbox, task?.effectivePolicy?.network)
  const seen = task?.effectivePolicy?.confined === true ? ', confined' : ''
  switch (sandbox.type) {
    case 'readOnly':
      return `sandbox: read-only, ${network}${seen}`
    case 'workspaceWrite':
      return `sandbox: may write in the workspace, ${network}${seen}`
    case 'dangerFullAccess':
      return 'no sandbox: full access'
    default:
      return `sandbox: ${sandbox.type}`
  }
}

function networkText({ networkAccess }: Sandbox, network: unknown): string {
  if (networkAccess !== true && networkAccess !== 'enabled') return 'no network'
  const { domains } = Object(network) as { domains?: unknown }
  return Array.isArray(domains) ? `network to ${domains.join(', ')} only` : 'with network'
}
