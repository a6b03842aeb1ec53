import { ApiError, type Work } from '../../api/index.ts'
import { EXIT, type Surroundings, UsageError } from '../process/index.ts'
import { count, onScreen, printJson, tell, visibleLine } from '../screen/index.ts'
import { type ServiceFlags, serviceClient } from '../service/index.ts'
import { type RemovingFlags, removing } from '../workspaces/index.ts'
import { findTaskId } from './find-id.ts'

interface Meant extends ServiceFlags {
  readonly repo?: string
}

export interface DiffFlags extends Meant {
  readonly turn?: string
  readonly stat?: boolean
}

export interface CommitFlags extends Meant {
  readonly message: string
  readonly file: readonly string[]
}

export interface ApplyFlags extends Meant {
  readonly merge?: boolean
  readonly rebase?: boolean
  readonly patch?: boolean
  readonly to?: string
}

export type DiscardFlags = Meant & RemovingFlags

function meant({ repo }: Meant): { repository?: string } {
  return repo === undefined ? {} : { repository: repo }
}

export async function diffTask(given: string, flags: DiffFlags, surroundings: Surroundings): Promise<number> {
  const client = await serviceClient(flags, surroundings)
  const id = await findTaskId(client, given)
  const turn = flags.turn === undefined ? undefined : Number(flags.turn)
  if (turn !== undefined && !(Number.isInteger(turn) && turn > 0))
    throw new UsageError('--turn: must be the number of a turn, from 1')
  if (turn !== undefined && flags.stat)
    throw new UsageError('--stat is for all of the work: leave --turn out')
  if (flags.stat) return statOfAll(id, { client, flags, surroundings })
  const diff = await client.workspaces.diff(id, { turn, ...meant(flags) })
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

interface Asked {
  readonly client: Awaited<ReturnType<typeof serviceClient>>
  readonly flags: DiffFlags
  readonly surroundings: Surroundings
}

/** Of several repositories one after the other; as JSON a list then. */
async function statOfAll(id: string, { client, flags, surroundings }: Asked): Promise<number> {
  const first = await client.workspaces.work(id, meant(flags))
  const others =
    flags.repo === undefined ? first.repositories.filter((one) => one.id !== first.workspace) : []
  const works = [first]
  for (const one of others) works.push(await client.workspaces.work(id, { repository: one.id }))
  if (flags.json) printJson(surroundings, works.length > 1 ? works : first)
  else for (const work of works) showWork(work, works.length > 1, surroundings)
  return EXIT.done
}

function showWork(work: Work, isNamed: boolean, surroundings: Surroundings): void {
  const open = new Set(work.uncommitted.map(({ path }) => path))
  if (isNamed) surroundings.stdout.write(`${work.workspace}: ${visibleLine(sourceOf(work) ?? '')}\n`)
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

function sourceOf({ repositories, workspace }: Work): string | null {
  return repositories.find(({ id }) => id === workspace)?.source ?? null
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
    ...meant(flags),
    ...(file.length > 0 && { files: [...file] }),
  })
  if (flags.json) printJson(surroundings, committed)
  else {
    surroundings.stdout.write(`${committed.commit}\n`)
    tell(
      surroundings,
      `Committed. It is on the branch of ${committed.workspace} only: drawbridge task apply brings it to yours.`,
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
    .apply(id, { method, ...meant(flags), ...(flags.to !== undefined && { to: flags.to }) })
    .catch((error: unknown) => {
      tellConflict(error, surroundings)
      throw error
    })
  if (flags.json) printJson(surroundings, applied)
  else {
    for (const file of applied.files) surroundings.stdout.write(`${visibleLine(file)}\n`)
    const where = applied.branch === null ? `${applied.checkout}, uncommitted` : applied.branch
    tell(surroundings, `Applied ${applied.workspace} to ${where}: ${count(applied.files.length, 'file')}.`)
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
  return removing(
    (request) => client.workspaces.discard(id, { ...request, ...meant(flags) }),
    flags,
    surroundings,
  )
}
