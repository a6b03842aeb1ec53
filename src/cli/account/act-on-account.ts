import type { ChangeLentAccount } from '../../api/index.ts'
import { EXIT, type Surroundings, UsageError } from '../process/index.ts'
import { canType, typedLine } from '../prompts/index.ts'
import { printJson, tell } from '../screen/index.ts'
import { type ServiceFlags, serviceClient } from '../service/index.ts'
import { limitText, whoText } from './list-accounts.ts'

export async function checkAccount(
  name: string,
  flags: ServiceFlags,
  surroundings: Surroundings,
): Promise<number> {
  const checked = await (await serviceClient(flags, surroundings)).accounts.check(name)
  const { verdict, message, account } = checked
  if (flags.json) printJson(surroundings, checked)
  else {
    surroundings.stdout.write(`${account.name}: ${verdict}\n`)
    tell(surroundings, `${message[0]!.toUpperCase()}${message.slice(1)}.`)
    if (verdict === 'alive') tell(surroundings, `${whoText(account)} · ${limitText(account, Date.now())}`)
  }
  return verdict === 'dead' ? EXIT.failed : EXIT.done
}

export async function changeAccount(
  name: string,
  fields: ChangeLentAccount,
  flags: ServiceFlags,
  surroundings: Surroundings,
): Promise<number> {
  const account = await (await serviceClient(flags, surroundings)).accounts.change(name, fields)
  if (flags.json) printJson(surroundings, account)
  else if (fields.name !== undefined) tell(surroundings, `${name} is called ${account.name} now.`)
  else tell(surroundings, `The account ${account.name} is ${account.state} now.`)
  return EXIT.done
}

export interface SetFlags extends ServiceFlags {
  readonly reserve?: string
  readonly onLimit?: 'park' | 'switch'
}

export async function setAccount(name: string, flags: SetFlags, surroundings: Surroundings): Promise<number> {
  const { reserve, onLimit } = flags
  if (reserve === undefined && onLimit === undefined) throw new UsageError('give --reserve or --on-limit')
  const fields = {
    ...(reserve !== undefined && { reservePercent: percentOf(reserve) }),
    ...(onLimit !== undefined && { onLimit }),
  }
  const account = await (await serviceClient(flags, surroundings)).accounts.change(name, fields)
  if (flags.json) printJson(surroundings, account)
  else
    tell(
      surroundings,
      `Tasks leave ${account.reservePercent} % of each window of ${account.name} to people, and at a limit they ${account.onLimit}.`,
    )
  return EXIT.done
}

/** Of a window. */
export function percentOf(text: string): number {
  const percent = Number(text.replace(/\s*%$/, ''))
  if (!Number.isInteger(percent) || percent < 0 || percent > 95)
    throw new UsageError('--reserve: give a whole number from 0 to 95')
  return percent
}

export async function removeAccount(
  name: string,
  flags: ServiceFlags,
  surroundings: Surroundings,
): Promise<number> {
  await (await serviceClient(flags, surroundings)).accounts.remove(name)
  if (flags.json) printJson(surroundings, { removed: name })
  else
    tell(
      surroundings,
      `The stored copy of ${name} is deleted. The login itself is still valid wherever else it is: ` +
        'it ends by a logout there, or on the security page of the account.',
    )
  return EXIT.done
}

/** A logout kills every copy of the login: the name has to be typed. */
export async function revokeAccount(
  name: string,
  flags: ServiceFlags & { readonly confirm?: string },
  surroundings: Surroundings,
): Promise<number> {
  const canAsk = canType(surroundings) && !flags.json
  if (flags.confirm === undefined && !canAsk)
    throw new UsageError(`revoke ends the login everywhere: say --confirm ${name}`)
  const question = `This ends the login of ${name} everywhere, also where it was copied from. Type its name to go on`
  const confirmed = flags.confirm ?? (await typedLine(question, surroundings))
  if (confirmed.trim() !== name) {
    tell(surroundings, 'That is not its name: nothing was changed.')
    return surroundings.interrupted.aborted ? EXIT.interrupted : EXIT.declined
  }
  await (await serviceClient(flags, surroundings)).accounts.revoke(name)
  if (flags.json) printJson(surroundings, { revoked: name })
  else tell(surroundings, `${name} is logged out everywhere, and its stored copy is deleted.`)
  return EXIT.done
}
