import type { PathKind } from '../../codex/index.ts'
import { type HostDirectory, remoteHome, type StartTask, TaskError, type TaskTools } from '../model/index.ts'

/** How long a start waits to hear of the folder; later its first turn says what is wrong with it. */
const LOOK_MS = 3_000

/**
 * Throws when the host of a new task is not known, or says that the folder is not there. One that is away is waited for.
 * Gives the codex home of the task where that is on the host, else null.
 */
export async function checkHost(
  request: StartTask,
  { hosts }: { readonly hosts: HostDirectory },
): Promise<string | null> {
  const { host, cwd } = request
  if (host === undefined) return null
  const known = await hosts.get(host)
  if (!known)
    throw new TaskError('bad-request', `there is no host ${host}: add it with \`drawbridge host add\``)
  if (!cwd.startsWith('/'))
    throw new TaskError('bad-request', `name the folder on ${host} from / on, not ${cwd}`)
  const kind = await Promise.race([known.paths.kindOf(cwd).catch(() => null), nothingAfter(LOOK_MS)])
  if (kind !== null && kind !== 'folder')
    throw new TaskError('bad-request', `there is no folder ${cwd} on ${host}: make it first, or name another`)
  if ((await hosts.modeOf?.(host)) !== 'remote') return null
  refuseOfHere(request, host)
  return remoteHome(host)
}

/** What a new task gets of the tools of this machine: a codex that runs elsewhere would be sent them with their secrets. */
export function toolsOfNew(
  { tools = [], labels = [] }: StartTask,
  {
    isHere,
    homeThere,
    toolsFor,
  }: { isHere: boolean; homeThere: string | null; toolsFor: TaskTools['namesFor'] },
): readonly string[] {
  return homeThere === null ? toolsFor({ tools, labels, isHere }) : []
}

/** What is on this machine only, in words of the command line. */
function refuseOfHere({ account, codexHome, codexPath, tools = [] }: StartTask, host: string): void {
  const named = [
    account && 'an account',
    codexHome && 'a codex home',
    codexPath && 'a codex',
    tools[0] && 'tools',
  ]
  const [what] = named.filter((each) => each)
  if (!what) return
  throw new TaskError(
    'bad-request',
    `${host} runs its own codex, with the login there, and cannot be given ${what} of this machine: leave that out, or add the host with --mode exec`,
  )
}

async function nothingAfter(ms: number): Promise<PathKind | null> {
  const { promise, resolve } = Promise.withResolvers<null>()
  setTimeout(() => resolve(null), ms).unref()
  return promise
}
