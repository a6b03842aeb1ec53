// Who may come in: links for a browser, and the token that everything else has.
import type { Command } from 'commander'
import { addExamples } from '../help/index.ts'
import { asTyped, EXIT, type Surroundings } from '../process/index.ts'
import { duration, printJson } from '../screen/index.ts'
import { acting, addServiceOptions, dataDirOf, type ServiceFlags, serviceClient } from './acting.ts'

export function addAccessCommands(program: Command, surroundings: Surroundings): void {
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
  const token = program
    .command('token')
    .summary('the token of the service')
    .description('About the token that lets programs in: the file `token` in the data folder.')
  const rotate = token
    .command('rotate')
    .summary('make a new token')
    .description('Makes a new token. The old one, and every browser that was let in, is refused from now on.')
  addServiceOptions(rotate).action(
    acting(surroundings, async (flags: ServiceFlags) => {
      const { rotateToken } = await import('../../api/index.ts')
      rotateToken(dataDirOf(flags, surroundings))
      if (flags.json) printJson(surroundings, { rotated: true })
      else
        surroundings.stderr.write(
          asTyped('There is a new token. Browsers need a new link: drawbridge login-link\n'),
        )
      return EXIT.done
    }),
  )
  addExamples(rotate, ['drawbridge token rotate', 'drawbridge token rotate --data-dir /srv/drawbridge'])
  addExamples(token, ['drawbridge token rotate', ['drawbridge help token rotate', 'what that does']])
}
