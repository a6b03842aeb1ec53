// What codex takes without a word and what then goes wrong: a folder that is not there, an effort no model has.
import type { PathFacts } from '../host.ts'
import { BadInputError } from './input.ts'
import type { Request } from './turn-context.ts'

/** Every command in such a folder would fail. Only where the host can look. */
export async function refuseBadFolder(
  cwd: string | null | undefined,
  { kindOf }: Pick<PathFacts, 'kindOf'>,
): Promise<void> {
  if (cwd === null || cwd === undefined) return
  if (cwd === '') throw new BadInputError('cwd is empty: name the folder to work in', 'cwd')
  const kind = await kindOf(cwd)
  if (kind === 'missing')
    throw new BadInputError(`there is no folder ${cwd}: make it first, or name another as cwd`, 'cwd')
  if (kind !== null && kind !== 'folder')
    throw new BadInputError(`${cwd} is not a folder: name the folder it is in as cwd`, 'cwd')
}

/** Those of all versions we test. */
const KNOWN_EFFORTS: readonly string[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max', 'ultra']

/** Any word is handed on to the model's provider. A newer codex may have new ones: it is asked before we say no. */
export async function refuseUnknownEffort(
  effort: string | null | undefined,
  request: Request,
): Promise<void> {
  if (effort === null || effort === undefined || KNOWN_EFFORTS.includes(effort)) return
  const listed = await listedEfforts(request)
  if (listed === null || listed.includes(effort)) return
  const known = [...new Set([...KNOWN_EFFORTS, ...listed])].join(', ')
  throw new BadInputError(`there is no reasoning effort "${effort}": these are: ${known}`, 'effort')
}

/** null when codex cannot say: then it is not for us to refuse. */
async function listedEfforts(request: Request): Promise<string[] | null> {
  try {
    const { data } = await request('model/list', { includeHidden: true, limit: 100 })
    return data.flatMap(({ supportedReasoningEfforts }) =>
      supportedReasoningEfforts.map(({ reasoningEffort }) => reasoningEffort),
    )
  } catch {
    return null
  }
}
