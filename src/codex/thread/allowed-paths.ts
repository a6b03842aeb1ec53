// Where the paths that a thread was allowed really lead, on the machine of its commands.
import { type PathFacts, realPathOf } from '../host.ts'
import { type AllowedPath, BadAccessError, type ThreadPolicy } from '../policy/index.ts'

/** The policy with real paths. Throws when one is not there, or is neither a file nor a folder. */
export async function withRealPaths(policy: ThreadPolicy, paths: PathFacts): Promise<ThreadPolicy> {
  if (!policy.allow?.length) return policy
  const real = await Promise.all(policy.allow.map((each) => realOf(each, paths)))
  return { ...policy, allow: real.map((path, at) => ({ ...policy.allow![at]!, path })) }
}

/**
 * Of a thread that was opened before: throws when one leads elsewhere now. Other commands may have put a link there, and
 * what that leads to was never allowed.
 */
export async function refuseMoved({ allow = [] }: ThreadPolicy, paths: PathFacts): Promise<void> {
  await Promise.all(
    allow.map(async (each) => {
      const real = await realOf(each, paths)
      if (real !== each.path)
        throw new BadAccessError(`${each.path} leads to ${real} now: it is not what was allowed`)
    }),
  )
}

/** Where a turn really works. What the thread was allowed besides must be where it was. */
export async function realFolder(
  folder: string,
  { policy, paths }: { readonly policy: ThreadPolicy; readonly paths: PathFacts },
): Promise<string> {
  await refuseMoved(policy, paths)
  return realPathOf(folder, paths)
}

async function realOf({ path }: AllowedPath, { kindOf, realPath }: PathFacts): Promise<string> {
  const kind = await kindOf(path)
  if (kind === 'missing')
    throw new BadAccessError(`there is nothing at ${path}: make it first, or name another`)
  if (kind === 'other')
    throw new BadAccessError(`${path} is neither a file nor a folder: it cannot be allowed`)
  const real = await realPath(path)
  if (real === null) throw new BadAccessError(`it cannot be told where ${path} leads: it cannot be allowed`)
  return real
}
