// A workspace with work that is nowhere else goes only when a person has seen what, and typed its name.
import { ApiError, type RemovedWorkspace, type RemoveWorkspace } from '../../api/index.ts'
import { EXIT, type Surroundings, UsageError } from '../process/index.ts'
import { canType, typedLine } from '../prompts/index.ts'
import { printJson, tell, visibleLine } from '../screen/index.ts'

export interface RemovingFlags {
  readonly confirm?: string
  readonly branch?: boolean
  readonly json?: boolean
}

interface Loss {
  readonly workspace: string
  readonly files: readonly string[]
  readonly commits: readonly { readonly id: string; readonly subject: string }[]
  readonly seen: string | null
}

const SHOWN = 50

/** `remove` is tried without a confirmation first: what it answers says what there is to lose. */
export async function removing(
  remove: (request: RemoveWorkspace) => Promise<RemovedWorkspace>,
  { confirm, branch, json }: RemovingFlags,
  surroundings: Surroundings,
): Promise<number> {
  const more = branch ? { branch } : {}
  try {
    return done(await remove({ ...more, ...(confirm !== undefined && { confirm }) }), json, surroundings)
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'workspace-unmerged') throw error
    const loss = error.details as unknown as Loss
    if (confirm !== undefined) throw new UsageError(`--confirm: its name is ${loss.workspace}`)
    tellLoss(loss, surroundings)
    if (!canType(surroundings) || json)
      throw new UsageError(`it has work that is nowhere else: say --confirm ${loss.workspace}`)
    const typed = (await typedLine('Type its name to lose that', surroundings)).trim()
    if (typed !== loss.workspace) {
      tell(surroundings, 'That is not its name: nothing was changed.')
      return surroundings.interrupted.aborted ? EXIT.interrupted : EXIT.declined
    }
    // Not the name: what was typed is for what was shown, and for nothing that came since.
    const agreed = loss.seen === null ? { confirm: typed } : { seen: loss.seen }
    return done(await remove({ ...more, ...agreed }), json, surroundings)
  }
}

function tellLoss({ workspace, files, commits }: Loss, surroundings: Surroundings): void {
  tell(surroundings, `${workspace} has work that is nowhere else:`)
  for (const name of files.slice(0, SHOWN)) tell(surroundings, `  ${visibleLine(name)}`)
  if (files.length > SHOWN) tell(surroundings, `  … and ${files.length - SHOWN} more files`)
  for (const { id, subject } of commits.slice(0, SHOWN))
    tell(surroundings, `  ${id.slice(0, 9)} ${visibleLine(subject)}`)
}

function done(removed: RemovedWorkspace, json: boolean | undefined, surroundings: Surroundings): number {
  if (json) printJson(surroundings, removed)
  else {
    tell(surroundings, 'The workspace is removed.')
    if (removed.keptBranch !== null)
      tell(surroundings, `Its branch ${removed.keptBranch} stays: it has commits that are on no other.`)
  }
  return EXIT.done
}
