// The open questions of all tasks: listed, or watched.
import type { Command } from 'commander'
import { addExamples } from '../help/index.ts'
import type { Surroundings } from '../process/index.ts'
import { acting, addServiceOptions } from '../service/index.ts'
import type { Flags } from './show-approvals.ts'

const HELP = `
What each word would do, and for how long, is told when there is one question, or with --explain.
With -w it stays: new questions are shown as they come, and at a terminal asked one after the other, with the keys that
\`drawbridge run\` has. With --json stdout is one list; with -w a line for each question.`

export function addApprovalsCommand(program: Command, surroundings: Surroundings): void {
  const command = program
    .command('approvals')
    .summary('what Codex asks and nobody has answered')
    .description('Shows the open questions of all tasks, whole.')
    .option('-w, --watch', 'stay, and answer them one by one at a terminal')
    .option('--explain', 'with what each word would do, and for how long')
    .option('--task <task>', 'of this task only')
  addExamples(
    command,
    [
      'drawbridge approvals',
      ['drawbridge approvals -w', 'answers them one by one, as they come'],
      'drawbridge approvals --task 5f3a91c2 --explain',
      `drawbridge approvals --json | jq -r '.[].question.title'`,
    ],
    HELP,
  )
  addServiceOptions(command).action(
    acting(surroundings, async (flags: Flags) => {
      const { showApprovals } = await import('./show-approvals.ts')
      return showApprovals(flags, surroundings)
    }),
  )
}
