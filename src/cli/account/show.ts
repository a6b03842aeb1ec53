import { NotLoggedInError } from '../../codex/index.ts'
import { EXIT, type Surroundings } from '../process/index.ts'
import { printJson, printLines } from '../screen/index.ts'
import { type AccountFlags, openAccount } from './account-place.ts'
import { type AccountFacts, describeAccount, limitLines } from './account-text.ts'

export async function showAccount(flags: AccountFlags, surroundings: Surroundings): Promise<number> {
  const place = await openAccount(flags, surroundings)
  try {
    const facts = (await place.account.read()) as AccountFacts
    const { account, requiresOpenaiAuth } = facts
    const isMissing = !account && requiresOpenaiAuth === true
    if (flags.json) printJson(surroundings, facts)
    else if (isMissing) throw new NotLoggedInError(flags.codexHome ?? null)
    else
      printLines(surroundings, [
        account
          ? `Logged in ${describeAccount(account)}`
          : 'No login is needed: the model provider of config.toml takes none',
        ...limitLines(facts, Date.now()).map((line) => `  ${line}`),
        { text: `  CODEX_HOME is ${place.codexHome}`, colour: 'dim' },
      ])
    return isMissing ? EXIT.unsuitable : EXIT.done
  } finally {
    await place.close()
  }
}
