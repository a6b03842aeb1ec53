// Commands for snapshots: the files and the thread of a task, kept and taken up again.
import { type Command, Option } from 'commander'
import { addExamples } from '../help/index.ts'
import { collect } from '../options/index.ts'
import type { Surroundings } from '../process/index.ts'
import { acting, addServiceOptions } from '../service/index.ts'
import type { ListFlags, RemoveFlags, RestoreFlags, TakeFlags } from './snapshot-acts.ts'

const TAKE_HELP = `
A snapshot holds all files of the workspace, with .git, links, empty folders and modes, and the whole thread of Codex. It never
holds a login or one of Codex's databases. What did not change since an earlier snapshot takes no room again. Of each task the
newest 5 are kept (workspaces.snapshots.keep in the settings). The file that --out writes has the same, for another machine: it
holds everything that was said in the thread.`

const RESTORE_HELP = `
Makes a new task in a new folder, which goes on with the thread; the task that the snapshot was taken of stays as it is. All of
the snapshot is checked first: one that is damaged changes nothing. With its next message the model is told what is different:
the folder, the machine, the files that were left out, the time that has passed.

A snapshot that came as a file is restored read-only, with questions for everything and without the rules that it had. Give
--sandbox for more, or --keep-rights for what the task was allowed where it was taken: the command shows it.`

export function addTaskSnapshots(task: Command, surroundings: Surroundings): void {
  addTake(task, surroundings)
  addList(task, surroundings)
  addRestore(task, surroundings)
}

function addTake(task: Command, surroundings: Surroundings): void {
  const take = task
    .command('snapshot')
    .summary('keep the files and the thread of a task as they are')
    .description('Takes a snapshot of a task that rests.')
    .argument('<task>', 'its id, or enough of the beginning or end')
    .option('--exclude <pattern>', 'leave this out, as in a .gitignore; repeatable', collect, [])
    .option('--gitignore', 'leave out what the .gitignore files of the workspace leave out')
    .option('--out <file>', 'also write it to this file (.dbsnap)')
  addServiceOptions(take).action(
    acting(surroundings, async (given: string, flags: TakeFlags) =>
      (await import('./snapshot-acts.ts')).takeSnapshot(given, flags, surroundings),
    ),
  )
  addExamples(
    take,
    [
      'drawbridge task snapshot 5f3a91c2',
      'drawbridge task snapshot 5f3a91c2 --exclude node_modules/ --out shop.dbsnap',
    ],
    TAKE_HELP,
  )
}

function addList(task: Command, surroundings: Surroundings): void {
  const list = task
    .command('snapshots')
    .summary('the snapshots of a task')
    .description('Lists the snapshots of a task, newest first; without a task, those of all.')
    .argument('[task]', 'its id, or enough of the beginning or end')
    .option('--rm <snapshot>', 'remove this one; repeatable', collect, [])
    .option('--left-out', 'show which files are not in the newest')
  addServiceOptions(list).action(
    acting(surroundings, async (given: string | undefined, flags: ListFlags & RemoveFlags) =>
      (await import('./snapshot-acts.ts')).listSnapshots(given, flags, surroundings),
    ),
  )
  addExamples(list, ['drawbridge task snapshots 5f3a91c2', 'drawbridge task snapshots --rm 0b7d44e9'])
}

function addRestore(task: Command, surroundings: Surroundings): void {
  const restore = task
    .command('restore')
    .summary('go on from a snapshot, as a new task')
    .description('Restores a snapshot as a new task, in a new folder.')
    .argument('<snapshot>', 'its id, or enough of the end; or a file that task snapshot --out wrote')
    .argument('[prompt]', 'what Codex should do; without one the task waits for a message')
    .option('--into <folder>', 'an empty or a new folder (default: one among the workspaces)')
    .addOption(
      new Option('--sandbox <mode>', 'what commands may touch (default: as before)').choices([
        'read-only',
        'workspace-write',
      ]),
    )
    .option('--keep-rights', 'of a file: with the sandbox, the approvals and the rules that it had')
    .option('--title <title>', 'what it is called in lists')
    .option('--account <name>', 'the account to run on')
    .option('--codex <path>', "the codex program to use (default: the service's)")
    .option('--codex-home <folder>', "Codex's own folder (default: the service's)")
    .option('--host <name>', 'on this host: not supported yet')
  addServiceOptions(restore).action(
    acting(surroundings, async (given: string, prompt: string | undefined, flags: RestoreFlags) =>
      (await import('./snapshot-acts.ts')).restoreSnapshot(given, { ...flags, prompt }, surroundings),
    ),
  )
  addExamples(
    restore,
    [
      'drawbridge task restore 0b7d44e9',
      'drawbridge task restore shop.dbsnap --into ~/shop-again "run the tests again"',
    ],
    RESTORE_HELP,
  )
}
