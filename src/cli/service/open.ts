import type { Command } from 'commander'
import { addExamples } from '../help/index.ts'
import type { Surroundings } from '../process/index.ts'
import { acting, addServiceOptions, type ServiceFlags } from './acting.ts'

const HELP = `
The service is started in the background when none runs. Without a screen here (over SSH, say) the link is only printed; a
browser on another machine needs a way to it, as with \`ssh -L 4100:127.0.0.1:4100 host\`.`

export function addOpenCommand(program: Command, surroundings: Surroundings): void {
  const command = program
    .command('open')
    .summary('open the console in a browser')
    .description(
      'Opens the console in a browser, let in by a fresh link. Prints the link, too: it works once.',
    )
  addServiceOptions(command).action(
    acting(surroundings, async (flags: ServiceFlags) =>
      (await import('./open-console.ts')).openConsole(flags, surroundings),
    ),
  )
  addExamples(command, ['drawbridge open', 'drawbridge open --data-dir /srv/drawbridge'], HELP)
}
