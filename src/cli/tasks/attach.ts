import { type Command, Option } from 'commander'
import { addExamples } from '../help/index.ts'
import type { Surroundings } from '../process/index.ts'
import { SANDBOX_MODES } from '../run/index.ts'
import { acting, addServiceOptions } from '../service/index.ts'
import type { AttachFlags } from './attach-terminal.ts'

const HELP = `
Opens Codex's own terminal on the thread of a task, in the app-server that runs it: with its transcript, the turn that
runs and the question that is open. What you do there is the task's: a turn you begin is counted, watched and told like
any other, and a question you answer is answered by "codex terminal". Leaving the terminal leaves the task running.
Several terminals and the console can be on one task at once.

The terminal must be on the machine that runs the task. A turn you begin there may be given other rights than the task
has (/permissions); the task shows that, and the next turn from here has its own again. A thread you begin there with
/new is no task.`

export function addTaskAttach(task: Command, surroundings: Surroundings): void {
  const command = task
    .command('attach')
    .summary("open Codex's own terminal on a task")
    .description("Opens Codex's own terminal on a task, or on a new one.")
    .argument('[task]', 'its id, or enough of the beginning or end')
    .option('--new [folder]', 'a new task, opened in the terminal (default: here)')
    .option('--title <title>', 'with --new: what it is called in lists')
    .addOption(
      new Option('--sandbox <mode>', 'with --new: what commands may touch (default: read-only)').choices(
        SANDBOX_MODES,
      ),
    )
    .option('--codex <path>', "with --new: the codex program to use (default: the service's)")
    .option('--codex-home <folder>', "with --new: Codex's own folder (default: $CODEX_HOME)")
  addServiceOptions(command).action(
    acting(surroundings, async (given: string | undefined, flags: AttachFlags) => {
      const { attachTerminal } = await import('./attach-terminal.ts')
      return attachTerminal(given, flags, surroundings)
    }),
  )
  addExamples(
    command,
    [
      ['drawbridge task attach 5f3a91c2', 'ids as `drawbridge task list` shows them'],
      'drawbridge task attach --new --sandbox workspace-write',
      ['drawbridge task attach 5f3a91c2 --json', 'where it is, without opening it'],
    ],
    HELP,
  )
}
