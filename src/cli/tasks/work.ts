// Commands for the work of a task in its workspace: what it is, and what becomes of it.
import { type Command, Option } from 'commander'
import { addExamples } from '../help/index.ts'
import { collect } from '../options/index.ts'
import type { Surroundings } from '../process/index.ts'
import { acting, addServiceOptions } from '../service/index.ts'
import type { ApplyFlags, CommitFlags, DiffFlags, DiscardFlags } from './work-acts.ts'

const HELP = `
For tasks that work in a worktree or a clone (\`drawbridge task start --workspace worktree\`). Nothing is committed, merged or
pushed unless you say so here, and the repository's own hooks do not run.

Of a task in several repositories (\`--also\`) --repo says which is meant: its name, as \`drawbridge workspace list\` shows it,
or the name of its folder. Without it diff shows all of them. Each is committed, applied and discarded by itself.`

export function addTaskWork(task: Command, surroundings: Surroundings): void {
  const add = (name: string, summary: string) =>
    addServiceOptions(
      task
        .command(name)
        .summary(summary)
        .description(`${summary[0]!.toUpperCase()}${summary.slice(1)}.`)
        .argument('<task>', 'its id, or enough of the beginning or end')
        .option('--repo <name>', 'of a task in several repositories: only this one'),
    )
  const diff = add('diff', 'what a task has changed in its workspace, as a patch')
    .option('--turn <number>', 'only what this turn did')
    .option('--stat', 'only the names of the files')
    .action(
      acting(surroundings, async (given: string, flags: DiffFlags) =>
        (await import('./work-acts.ts')).diffTask(given, flags, surroundings),
      ),
    )
  addExamples(diff, ['drawbridge task diff 5f3a91c2', 'drawbridge task diff 5f3a91c2 --turn 2 | less'], HELP)
  const commit = add('commit', 'commit what a task has changed, on the branch of its workspace')
    .requiredOption('-m, --message <text>', 'what the commit says')
    .option('--file <path>', 'only this file; repeatable', collect, [])
    .action(
      acting(surroundings, async (given: string, flags: CommitFlags) =>
        (await import('./work-acts.ts')).commitTask(given, flags, surroundings),
      ),
    )
  addExamples(
    commit,
    [
      'drawbridge task commit 5f3a91c2 -m "Fix the parser"',
      'drawbridge task commit 5f3a91c2 -m "Docs" --file README.md',
    ],
    HELP,
  )
  const apply = add('apply', 'bring the work of a task to the repository it came from')
    .addOption(
      new Option('--merge', 'its commits, by a fast-forward or a merge commit (the default)').conflicts([
        'rebase',
        'patch',
      ]),
    )
    .addOption(new Option('--rebase', 'its commits, on top of the branch').conflicts('patch'))
    .addOption(
      new Option(
        '--to <branch>',
        'the branch that gets the commits (default: the one it was begun from)',
      ).conflicts('patch'),
    )
    .option('--patch', 'its files, as changes in your checkout that are in no commit')
    .action(
      acting(surroundings, async (given: string, flags: ApplyFlags) =>
        (await import('./work-acts.ts')).applyTask(given, flags, surroundings),
      ),
    )
  addExamples(apply, ['drawbridge task apply 5f3a91c2', 'drawbridge task apply 5f3a91c2 --patch'], HELP)
  const discard = add('discard', 'remove the workspace of a task, and the work in it')
    .option('--confirm <name>', 'the name of the workspace, instead of being asked')
    .option('--branch', 'also its branch, when that has commits of its own')
    .action(
      acting(surroundings, async (given: string, flags: DiscardFlags) =>
        (await import('./work-acts.ts')).discardTask(given, flags, surroundings),
      ),
    )
  addExamples(
    discard,
    ['drawbridge task discard 5f3a91c2', 'drawbridge task discard 5f3a91c2 --confirm shop-3fa9c1'],
    HELP,
  )
}
