// Links that let a browser in.
import type { Command } from 'commander'
import { addExamples } from '../help/index.ts'
import { EXIT, type Surroundings } from '../process/index.ts'
import { duration, printJson } from '../screen/index.ts'
import { acting, addServiceOptions, type ServiceFlags, serviceClient } from './acting.ts'

export function addLoginLinkCommand(program: Command, surroundings: Surroundings): void {
  const link = program
    .command('login-link')
    .summary('a link that opens the console, once')
    .description('Prints a link that lets a browser into the console. It works once.')
  addServiceOptions(link).action(
    acting(surroundings, async (flags: ServiceFlags) => {
      const made = await (await serviceClient(flags, surroundings)).makeLoginLink()
      if (flags.json) printJson(surroundings, made)
      else {
        surroundings.stdout.write(`${made.url}\n`)
        surroundings.stderr.write(`It works once, within ${duration(made.expiresAt - Date.now())}.\n`)
      }
      return EXIT.done
    }),
  )
  addExamples(link, ['drawbridge login-link', 'drawbridge login-link --json | jq -r .url'])
}
