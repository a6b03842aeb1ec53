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
    ['NAME', 'STATE', 'WHO', 'POOLS', 'USED', 'AS OF', 'CHECKED'].map(
      (text): Cell => ({ text, colour: 'dim' }),
    ),
    ...accounts.map((account) => [
      { text: account.name },
      stateCell(account, now),
      { text: whoText(account) },
      { text: account.pools.join(', ') || '–' },
      { text: limitText(account, now) },
      { text: ageText(account, now) },
      { text: account.facts?.at ? ago(account.facts.at, now) : 'never' },
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

/** `5-hour 10 %, weekly 5 %`: with an age where it is older than the others. A window that has ended is new. */
export function limitText({ facts, reservePercent }: LentAccount, now: number): string {
  const newest = newestOf(facts)
  const windows = (facts?.windows ?? []).map(({ name, usedPercent, resetsAt, at }) => {
    if (resetsAt !== null && resetsAt <= now) return `${name} new since ${localTime(resetsAt, now)}`
    const age = newest !== null && newest - at > OLDER_MS ? ` (${ago(at, now)})` : ''
    return `${name} ${Math.round(usedPercent)} %${age}`
  })
  const reserve = reservePercent > 0 ? [`reserve ${reservePercent} %`] : []
  return [...windows, ...reserve].join(', ') || '–'
}

const OLDER_MS = 10 * 60_000

function ageText({ facts }: LentAccount, now: number): string {
  const newest = newestOf(facts)
  return newest === null ? '–' : ago(newest, now)
}

function newestOf(facts: LentAccount['facts']): number | null {
  const times = (facts?.windows ?? []).map(({ at }) => at)
  return times.length === 0 ? null : Math.max(...times)
}
