import type { LentAccount } from '../../api/index.ts'
import { asTyped, EXIT, type Surroundings } from '../process/index.ts'
import { ago, type Cell, localTime, printJson, printTable } from '../screen/index.ts'
import { type ServiceFlags, serviceClient } from '../service/index.ts'

export async function listAccounts(flags: ServiceFlags, surroundings: Surroundings): Promise<number> {
  const accounts = await (await serviceClient(flags, surroundings)).accounts.list()
  if (flags.json) printJson(surroundings, accounts)
  else if (accounts.length === 0)
    surroundings.stderr.write(asTyped('No accounts are kept. Add one: drawbridge account add <name>\n'))
  else printTable(surroundings, accountTable(accounts, Date.now()))
  return EXIT.done
}

export function accountTable(accounts: readonly LentAccount[], now: number): Cell[][] {
  return [
    ['NAME', 'STATE', 'WHO', 'POOLS', 'LIMITS', 'CHECKED'].map((text): Cell => ({ text, colour: 'dim' })),
    ...accounts.map((account) => [
      { text: account.name },
      stateCell(account, now),
      { text: whoText(account) },
      { text: account.pools.join(', ') || '–' },
      { text: limitText(account) },
      { text: account.facts ? ago(account.facts.at, now) : 'never' },
    ]),
  ]
}

export function stateCell({ state, limitedUntil, usedBy }: LentAccount, now: number): Cell {
  if (state === 'dead') return { text: 'dead', colour: 'red' }
  if (state === 'disabled') return { text: 'disabled', colour: 'dim' }
  if (limitedUntil !== null && limitedUntil > now)
    return { text: `limited until ${localTime(limitedUntil, now)}`, colour: 'yellow' }
  return { text: usedBy && usedBy.until > now ? 'in use' : 'free', colour: 'green' }
}

export function whoText({ kind, facts }: LentAccount): string {
  if (kind === 'apikey') return 'API key'
  const plan = facts?.plan ? `, ${facts.plan}` : ''
  const kindText = kind === 'chatgpt' ? 'ChatGPT' : 'access token'
  return facts?.email ? `${facts.email}${plan}` : kindText
}

/** `5-hour 10 %, weekly 5 %`. */
export function limitText({ facts, reservePercent }: LentAccount): string {
  const windows = (facts?.windows ?? []).map(
    ({ name, usedPercent }) => `${name} ${Math.round(usedPercent)} %`,
  )
  const reserve = reservePercent > 0 ? [`reserve ${reservePercent} %`] : []
  return [...windows, ...reserve].join(', ') || '–'
}
