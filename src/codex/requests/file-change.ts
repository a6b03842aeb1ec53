import { about, type Family, notOffered } from './family.ts'
import type { Choice, FileChangeQuestion } from './question.ts'

const CHOICES: readonly Choice[] = [
  { word: 'once', effect: 'The files are changed now.', lasts: 'now' },
  {
    word: 'session',
    effect: "Don't ask again for changes to these files in this task.",
    lasts: 'thread',
  },
  { word: 'deny', effect: 'Nothing is changed. Codex is told, and the turn goes on.', lasts: 'now' },
  { word: 'cancel', effect: 'Nothing is changed, and the turn ends.', lasts: 'now' },
]

/** Change files. The request names only the item; the diff came with it. */
export const fileChange: Family<'item/fileChange/requestApproval'> = {
  refuse: () => ({ decision: 'decline' }),

  ask(params, facts): FileChangeQuestion {
    const grantRoot = params.grantRoot ?? null
    return {
      ...about(params, facts),
      kind: 'file-change',
      method: 'item/fileChange/requestApproval',
      title: title(
        facts.changes.map(({ path }) => shortPath(path, facts.cwd)),
        grantRoot,
      ),
      reason: params.reason ?? null,
      changes: facts.changes,
      grantRoot,
      cwd: facts.cwd,
      choices: CHOICES,
    }
  },

  reply(answer) {
    switch (answer) {
      case 'once':
        return { decision: 'accept' }
      case 'session':
        return { decision: 'acceptForSession' }
      case 'deny':
        return { decision: 'decline' }
      case 'cancel':
        return { decision: 'cancel' }
      default:
        return notOffered(answer, CHOICES)
    }
  },
}

function title(paths: readonly string[], grantRoot: string | null): string {
  const [first = 'files', ...others] = paths
  const more = others.length > 0 ? ` and ${others.length} more` : ''
  return `change ${first}${more}${grantRoot ? `, and write anywhere below ${grantRoot}` : ''}`
}

/** Inside the folder it is told from there; what lies outside shows its whole path. */
function shortPath(path: string, cwd: string): string {
  return path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path
}
