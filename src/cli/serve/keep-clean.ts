// Removes the workspaces that nothing needs any more, when the settings ask for it. Each worker sees to those of its machine.
import type { WorkspacesDoor } from '../../api/index.ts'
import { errorText } from '../process/index.ts'
import { count } from '../screen/index.ts'

/** Out of the way of the start. */
const FIRST_LOOK_MS = 5 * 60 * 1000
const EVERY_MS = 60 * 60 * 1000

export interface KeepCleanOptions {
  /** How long ago a workspace was made, at the least; null: nothing is ever removed by itself. */
  readonly afterDays: number | null
  readonly tell: (line: string) => void
}

export interface KeepClean {
  /** Never rejects. */
  look(): Promise<void>
  /** No look begins afterwards; resolves when none is under way. */
  stop(): Promise<void>
}

export function keepClean(
  workspaces: Pick<WorkspacesDoor, 'clean'>,
  { afterDays, tell }: KeepCleanOptions,
): KeepClean {
  let isStopped = afterDays === null
  let last = Promise.resolve()
  const lookOnce = async () => {
    if (isStopped || afterDays === null) return
    try {
      const { removed } = await workspaces.clean({ olderThanDays: afterDays })
      if (removed.length > 0)
        tell(
          `workspaces: removed ${count(removed.length, 'workspace')} that nothing needs: ${removed.join(', ')}`,
        )
    } catch (error) {
      tell(`workspaces: could not be cleaned up: ${errorText(error)}`)
    }
  }
  const look = () => (last = last.then(lookOnce))
  const first = setTimeout(() => void look(), FIRST_LOOK_MS).unref()
  const timer = setInterval(() => void look(), EVERY_MS).unref()
  const stop = () => {
    isStopped = true
    clearTimeout(first)
    clearInterval(timer)
    return last
  }
  return { look, stop }
}
