import type { Command } from 'commander'
import { EXIT } from '../exit-code.ts'
import { addExamples } from '../help/examples.ts'
import { printJson, tell } from '../output.ts'
import { duration } from '../relative-time.ts'
import type { Surroundings } from '../surroundings.ts'
import { acting, addServiceOptions, type ServiceFlags, serviceClient } from './acting.ts'
import { openBrowser } from './open-browser.ts'

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
  addServiceOptions(command).action(acting(surroundings, (flags: ServiceFlags) => open(flags, surroundings)))
  addExamples(command, ['drawbridge open', 'drawbridge open --data-dir /srv/drawbridge'], HELP)
}

async function open(flags: ServiceFlags, surroundings: Surroundings): Promise<number> {
  const { env, stdout } = surroundings
  const link = await (await serviceClient(flags, surroundings)).makeLoginLink()
  const isOpened = openBrowser(link.url, env)
  if (flags.json) printJson(surroundings, { ...link, isOpened })
  else {
    stdout.write(`${link.url}\n`)
    const how = isOpened ? 'Opened in your browser.' : 'No browser here: open this link in one.'
    tell(surroundings, `${how} It works once, within ${duration(link.expiresAt - Date.now())}.`)
  }
  return EXIT.done
}
