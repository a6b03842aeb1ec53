import { EXIT, type Surroundings } from '../process/index.ts'
import { duration, printJson, tell } from '../screen/index.ts'
import { type ServiceFlags, serviceClient } from './acting.ts'
import { openBrowser } from './open-browser.ts'

/** Opens the console with a fresh link, which it prints too. */
export async function openConsole(flags: ServiceFlags, surroundings: Surroundings): Promise<number> {
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
