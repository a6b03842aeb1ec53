// `drawbridge workspace list|rm|clean`: the folders that Drawbridge made for tasks.
import type { Command } from 'commander'
import { type Adding, addExamples } from '../help/index.ts'
import type { Surroundings } from '../process/index.ts'
import { acting, addServiceOptions } from '../service/index.ts'
import type { CleanFlags, ListFlags, RemoveFlags } from './workspaces.ts'

const HELP = `
Worktrees, clones and empty folders of tasks (\`drawbridge task start --workspace\`). They stay until they are removed. Work
that is nowhere else is never removed unless you give the name of the workspace; a branch is deleted with its worktree only
when its commits are on another branch too.`

export function addWorkspaceCommand(
  program: Command,
  surroundings: Surroundings,
  { isListed }: Adding,
): void {
  const workspace = program
    .command('workspace')
    .summary('worktrees, clones and folders that were made for tasks')
    .description('Lists and removes what was made for tasks to work in.')
  if (isListed) return
  const list = workspace
    .command('list')
    .summary('those that are there, with the work in them')
    .description('Lists the workspaces: their tasks, their branches, and the work that is nowhere else.')
    .option('--sizes', 'also how large they are, which takes longer')
  addServiceOptions(list).action(
    acting(surroundings, async (flags: ListFlags) =>
      (await import('./workspaces.ts')).listWorkspaces(flags, surroundings),
    ),
  )
  addExamples(list, [
    'drawbridge workspace list --sizes',
    "drawbridge workspace list --json | jq -r '.[].id'",
  ])
  const remove = workspace
    .command('rm')
    .summary('remove one')
    .description('Removes a workspace. With work that is nowhere else it shows what, and asks for the name.')
    .argument('<name>', 'the workspace')
    .option('--confirm <name>', 'its name once more, instead of being asked')
    .option('--branch', 'also its branch, when that has commits of its own')
  addServiceOptions(remove).action(
    acting(surroundings, async (name: string, flags: RemoveFlags) =>
      (await import('./workspaces.ts')).removeWorkspace(name, flags, surroundings),
    ),
  )
  addExamples(remove, [
    'drawbridge workspace rm shop-3fa9c1',
    'drawbridge workspace rm shop-3fa9c1 --confirm shop-3fa9c1',
  ])
  const clean = workspace
    .command('clean')
    .summary('remove those that nothing needs any more')
    .description('Removes the workspaces of tasks that have ended and have no work that is nowhere else.')
    .option('--older-than <days>', 'only those made so long ago')
    .option('--dry-run', 'only say which')
  addServiceOptions(clean).action(
    acting(surroundings, async (flags: CleanFlags) =>
      (await import('./workspaces.ts')).cleanWorkspaces(flags, surroundings),
    ),
  )
  addExamples(clean, ['drawbridge workspace clean --dry-run', 'drawbridge workspace clean --older-than 14'])
  addExamples(workspace, ['drawbridge workspace list', 'drawbridge workspace clean --dry-run'], HELP)
}
