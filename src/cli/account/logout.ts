import { EXIT, type Surroundings, UsageError } from '../process/index.ts'
import { isMeant } from '../prompts/index.ts'
import { printJson, tell } from '../screen/index.ts'
import { type AccountFlags, openAccount } from './account-place.ts'
import { type AccountFacts, describeAccount } from './account-text.ts'

export interface LogoutFlags extends AccountFlags {
  readonly yes?: boolean
}

/** A login cannot be brought back: it has to be meant. */
export async function logout(flags: LogoutFlags, surroundings: Surroundings): Promise<number> {
  const { stdin, stderr } = surroundings
  const canAsk = stdin.isTTY && stderr.isTTY && !flags.json
  if (!flags.yes && !canAsk) throw new UsageError('logout deletes the login of codex: say --yes')
  const place = await openAccount(flags, surroundings)
  const { account, codexHome } = place
  try {
    // One that codex cannot tell about can still be deleted.
    const { account: who } = (await account.read().catch(() => ({}))) as AccountFacts
    if (who === null) {
      if (flags.json) printJson(surroundings, { loggedOut: false, codexHome })
      else tell(surroundings, `Nobody is logged in in ${codexHome}.`)
      return EXIT.done
    }
    const whose = who ? `, ${describeAccount(who)}` : ''
    if (!flags.yes && !(await isMeant(`Delete the login in ${codexHome}${whose}?`, surroundings)))
      return surroundings.interrupted.aborted ? EXIT.interrupted : EXIT.declined
    await account.logout()
    if (flags.json) printJson(surroundings, { loggedOut: true, codexHome })
    else tell(surroundings, `Logged out: ${codexHome} has no login any more.`)
    return EXIT.done
  } finally {
    await place.close()
  }
}
