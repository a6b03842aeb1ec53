import { ApiError, type Work } from '../../api/index.ts'
import { EXIT, type Surroundings, UsageError } from '../process/index.ts'
import { count, onScreen, printJson, tell, visibleLine } from '../screen/index.ts'
import { type ServiceFlags, serviceClient } from '../service/index.ts'
import { type RemovingFlags, removing } from '../workspaces/index.ts'
import { findTaskId } from './find-id.ts'

export interface DiffFlags extends ServiceFlags {
  readonly turn?: string
  readonly stat?: boolean
}

export interface CommitFlags extends ServiceFlags {
  readonly message: string
  readonly file: readonly string[]
}

export interface ApplyFlags extends ServiceFlags {
  readonly merge?: boolean
  readonly rebase?: boolean
  readonly patch?: boolean
  readonly to?: string
}

export type DiscardFlags = ServiceFlags & RemovingFlags

export async function diffTask(given: string, flags: DiffFlags, surroundings: Surroundings): Promise<number> {
  const client = await serviceClient(flags, surroundings)
  const id = await findTaskId(client, given)
  const turn = flags.turn === undefined ? undefined : Number(flags.turn)
  if (turn !== undefined && !(Number.isInteger(turn) && turn > 0))
    throw new UsageError('--turn: must be the number of a turn, from 1')
  if (turn !== undefined && flags.stat)
    throw new UsageError('--stat is for all of the work: leave --turn out')
  if (flags.stat) return showWork(await client.workspaces.work(id), flags, surroundings)
  const diff = await client.workspaces.diff(id, { turn })
  if (flags.json) printJson(surroundings, diff)
  else {
    // A program takes it as it is; on a screen a file cannot have control characters act.
    const { stdout } = surroundings
    stdout.write(stdout.isTTY ? diff.patch.split('\n').map(onScreen).join('\n') : diff.patch)
    if (diff.isCut) tell(surroundings, 'It is longer: this is its beginning.')
    if (diff.patch === '') tell(surroundings, 'Nothing has changed.')
  }
  return EXIT.done
}

function showWork(work: Work, { json }: DiffFlags, surroundings: Surroundings): number {
  if (json) printJson(surroundings, work)
  else {
    const open = new Set(work.uncommitted.map(({ path }) => path))
    for (const { path, change, added, removed } of work.files)
      surroundings.stdout.write(
        `${change.padEnd(9)} ${`+${added ?? '?'} -${removed ?? '?'}`.padEnd(10)} ${open.has(path) ? 'uncommitted' : 'committed  '} ${visibleLine(path)}\n`,
      )
    tell(
      surroundings,
      `${count(work.files.length, 'file')}, ${count(work.commits.length, 'commit')} on ${work.branch}`,
    )
    tell(surroundings, applyText(work))
  }
  return EXIT.done
}

function applyText({ appliesTo, host }: Work): string {
  if (appliesTo === null) return 'Its repository is not on this machine: push the branch yourself.'
  const branch = appliesTo.branch ?? 'no branch: name one with --to'
  const on = host === null ? '' : ` on ${host}`
  return `drawbridge task apply brings its commits to ${branch}; with --patch its files to ${appliesTo.checkout}${on}.`
}

export async function commitTask(
  given: string,
  flags: CommitFlags,
  surroundings: Surroundings,
): Promise<number> {
  const client = await serviceClient(flags, surroundings)
  const id = await findTaskId(client, given)
  const { message, file } = flags
  const committed = await client.workspaces.commit(id, {
    message,
    ...(file.length > 0 && { files: [...file] }),
  })
  if (flags.json) printJson(surroundings, committed)
  else {
    surroundings.stdout.write(`${committed.commit}\n`)
    tell(
      surroundings,
      'Committed. It is on the branch of the workspace only: drawbridge task apply brings it to yours.',
    )
  }
  return EXIT.done
}

export async function applyTask(
  given: string,
  flags: ApplyFlags,
  surroundings: Surroundings,
): Promise<number> {
  const client = await serviceClient(flags, surroundings)
  const id = await findTaskId(client, given)
  const method = flags.patch ? 'patch' : flags.rebase ? 'rebase' : 'merge'
  const applied = await client.workspaces
    .apply(id, { method, ...(flags.to !== undefined && { to: flags.to }) })
    .catch((error: unknown) => {
      tellConflict(error, surroundings)
      throw error
    })
  if (flags.json) printJson(surroundings, applied)
  else {
    for (const file of applied.files) surroundings.stdout.write(`${visibleLine(file)}\n`)
    const where = applied.branch === null ? `${applied.checkout}, uncommitted` : applied.branch
    tell(surroundings, `Applied to ${where}: ${count(applied.files.length, 'file')}.`)
  }
  return EXIT.done
}

/** What git says of it. The error itself names the files. */
function tellConflict(error: unknown, surroundings: Surroundings): void {
  if (!(error instanceof ApiError) || error.code !== 'apply-conflict') return
  const { messages = [] } = error.details as { messages?: readonly string[] }
  for (const message of messages) tell(surroundings, visibleLine(message))
}

export async function discardTask(
  given: string,
  flags: DiscardFlags,
  surroundings: Surroundings,
): Promise<number> {
  const client = await serviceClient(flags, surroundings)
  const id = await findTaskId(client, given)
  return removing((request) => client.workspaces.discard(id, request), flags, surroundings)
}
