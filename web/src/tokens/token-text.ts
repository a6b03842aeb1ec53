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
export function ceilingText({ ceiling: { sandbox, preset, network, folders } }: Scope): string {
  const where = folders === null ? 'in any folder' : `in ${folders.join(', ')}`
  return [sandbox, preset, ...(network ? ['network'] : []), where].join(', ')
}
