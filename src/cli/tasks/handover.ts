// Commands for what a task hands over and says.
import type { Command } from 'commander'
import { addExamples } from '../help/index.ts'
import type { Surroundings } from '../process/index.ts'
import { acting, addServiceOptions, type ServiceFlags } from '../service/index.ts'
import type { AcceptFlags, DeliverablesFlags, SendBackFlags } from './handover-acts.ts'

const HELP = `
Tasks hand files over when they have the tool for it: drawbridge task start --tool drawbridge_deliver "…", or "defaultTools" in
settings.json. The files are kept when the workspace is gone.`

export function addTaskHandover(task: Command, surroundings: Surroundings): void {
  const add = (name: string, summary: string) =>
    addServiceOptions(
      task
        .command(name)
        .summary(summary)
        .description(`${summary[0]!.toUpperCase()}${summary.slice(1)}.`)
        .argument('<task>', 'its id, or enough of the beginning or end'),
    )
  const list = add('deliverables', 'files that a task handed over; with --get, one of them')
    .option('--get <number>', 'write this one to a file')
    .option('-o, --output <file>', 'where to; - is stdout (default: its own name, here)')
    .action(
      acting(surroundings, async (given: string, flags: DeliverablesFlags) =>
        (await import('./handover-acts.ts')).deliverables(given, flags, surroundings),
      ),
    )
  addExamples(
    list,
    [
      'drawbridge task deliverables 5f3a91c2',
      'drawbridge task deliverables 5f3a91c2 --get 1',
      'drawbridge task deliverables 5f3a91c2 --get 2 -o - | tar -tz',
    ],
    HELP,
  )
  const accept = add('accept', 'accept a file that a task handed over')
    .argument('<number>', 'which, as `drawbridge task deliverables` shows it')
    .option('-m, --message <text>', 'words for the model, in the turn that runs or as its next turn')
    .action(
      acting(surroundings, async (given: string, number: string, flags: AcceptFlags) =>
        (await import('./handover-acts.ts')).accept(given, { number, flags, surroundings }),
      ),
    )
  addExamples(accept, [
    'drawbridge task accept 5f3a91c2 1',
    'drawbridge task accept 5f3a91c2 1 -m "Now the same for the docs"',
  ])
  const back = add('send-back', 'send a file that a task handed over back to it, with words')
    .argument('<number>', 'which, as `drawbridge task deliverables` shows it')
    .requiredOption(
      '-m, --message <text>',
      'what is to be changed; the model gets it in the turn that runs or as its next turn',
    )
    .action(
      acting(surroundings, async (given: string, number: string, flags: SendBackFlags) =>
        (await import('./handover-acts.ts')).sendBack(given, { number, flags, surroundings }),
      ),
    )
  addExamples(back, [
    'drawbridge task send-back 5f3a91c2 1 -m "The totals are missing"',
    'drawbridge task send-back 5f3a91c2 2 -m "As PDF, please" --json | jq -r .status',
  ])
  const seen = add('seen', 'mark what a task wants you to look at as seen').action(
    acting(surroundings, async (given: string, flags: ServiceFlags) =>
      (await import('./handover-acts.ts')).seen(given, flags, surroundings),
    ),
  )
  addExamples(seen, [
    'drawbridge task seen 5f3a91c2',
    ['drawbridge task list --json | jq -r ".[] | select(.attention) | .id"', 'those that want you to look'],
  ])
}
