// Merges without a checkout, so that nothing can be left half done.
import type { History } from './git/history.ts'
import type { Git } from './git/run-git.ts'
import { WorkspaceError } from './workspace-error.ts'

/** The tree of both. Throws `apply-conflict` with the files that do not fit. */
export async function mergedTree(
  git: Git,
  { place }: History,
  { ours, theirs }: { readonly ours: string; readonly theirs: string },
): Promise<string> {
  const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--messages', ours, theirs]
  const run = await git.run(place, args, { exits: [0, 1] }).catch((error: unknown) => {
    throw tooOld(error)
  })
  const [tree, ...rest] = run.stdout.toString('utf8').split('\0')
  if (run.exitCode === 0) return tree!
  const end = rest.indexOf('')
  const conflicts = [...new Set(rest.slice(0, end))]
  throw new WorkspaceError(
    'apply-conflict',
    `it does not fit: ${conflicts.slice(0, 5).join(', ')}${conflicts.length > 5 ? ' …' : ''} changed on both sides. Nothing was changed`,
    { details: { conflicts, messages: messagesIn(rest.slice(end + 1)) } },
  )
}

/** The commits that `onto` has not, one after the other on top of it. */
export async function rebased(
  git: Git,
  history: History,
  { onto, head }: { readonly onto: string; readonly head: string },
): Promise<string> {
  const { place } = history
  const format = ['--reverse', '--topo-order', '--parents', head, `^${onto}`]
  const commits = (await git.text(place, ['rev-list', ...format])).split('\n').map((line) => line.split(' '))
  if (commits.some((ids) => ids.length !== 2))
    throw new WorkspaceError(
      'apply-conflict',
      'its branch has merges in it, which a rebase would lose: use merge',
      {
        details: { conflicts: [] },
      },
    )
  let tip = onto
  for (const [id, parent] of commits)
    tip = await picked(git, history, { id: id!, parent: parent!, onto: tip })
  return tip
}

/** As if the commit had been made on top of `onto`. One that changes nothing there is left out. */
async function picked(
  git: Git,
  history: History,
  { id, parent, onto }: { readonly id: string; readonly parent: string; readonly onto: string },
): Promise<string> {
  if (parent === onto) return id
  const { place } = history
  const ontoTree = await git.text(place, ['rev-parse', `${onto}^{tree}`])
  // With the commit's parent as its own parent, so that this is what both are compared with.
  const ours = await git.text(place, ['commit-tree', ontoTree, '-p', parent, '-F', '-'], {
    input: 'onto\n',
    env: NOBODY,
  })
  const tree = await mergedTree(git, history, { ours, theirs: id })
  if (tree === ontoTree) return onto
  const shown = await git.text(place, [
    'log',
    '-1',
    '--no-show-signature',
    '--format=%an%n%ae%n%ad%n%B',
    '--date=raw',
    id,
  ])
  const [name, mail, date, ...message] = shown.split('\n')
  const author = { GIT_AUTHOR_NAME: name!, GIT_AUTHOR_EMAIL: mail!, GIT_AUTHOR_DATE: date! }
  return git.text(place, ['commit-tree', tree, '-p', onto, '-F', '-'], {
    input: `${message.join('\n')}\n`,
    env: author,
  })
}

/** A commit that nobody sees. */
export const NOBODY = {
  ...{ GIT_AUTHOR_NAME: 'drawbridge', GIT_AUTHOR_EMAIL: 'drawbridge@localhost' },
  ...{ GIT_COMMITTER_NAME: 'drawbridge', GIT_COMMITTER_EMAIL: 'drawbridge@localhost' },
}

/** Records of a count of paths, the paths, a type and a sentence. */
function messagesIn(parts: readonly string[]): string[] {
  const messages: string[] = []
  for (let at = 0; at < parts.length; ) {
    const count = Number(parts[at])
    if (!Number.isInteger(count) || parts[at] === '') break
    messages.push((parts[at + count + 2] ?? '').trim())
    at += count + 3
  }
  return messages.filter((message) => message !== '')
}

function tooOld(error: unknown): unknown {
  if (
    !(error instanceof WorkspaceError) ||
    !/usage: git merge-tree|unknown option/.test(String(error.details.stderr))
  )
    return error
  return new WorkspaceError('git-failed', 'merging needs git 2.38 or newer: use --patch, or update git', {
    cause: error,
  })
}
