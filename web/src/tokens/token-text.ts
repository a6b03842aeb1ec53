import type { Token } from '../api/contract.ts'

type Scope = NonNullable<Token['scope']>

const RIGHT_TEXTS: Readonly<Record<Scope['may'][number], string>> = {
  read: 'see tasks',
  start: 'start tasks',
  answer: 'answer for others',
  'answer-own': 'answer for itself',
}

/** What it may do, of which tasks. */
export function mayText({ may, tasks }: Scope): string {
  const rights = may.map((right) => RIGHT_TEXTS[right] ?? right).join(', ')
  return `${rights}; ${tasks === 'own' ? 'only its own' : 'all tasks'}`
}

/** How wide its tasks may be. */
export function ceilingText({ ceiling }: Scope): string {
  const { sandbox, preset, network, folders, hosts = [], accounts = [] } = ceiling
  const where = folders === null ? 'in any folder' : `in ${folders.join(', ')}`
  const there = hosts.map((place) => (place.includes(':') ? `on ${place}` : `on ${place} in any folder`))
  const who = accounts.map((account) => `account ${account}`)
  return [sandbox, preset, ...(network ? ['network'] : []), where, ...there, ...who].join(', ')
}
