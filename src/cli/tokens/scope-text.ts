import type { TokenScope } from '../../api/index.ts'

/** One line for people: what a token may do. */
export function mayText({ tasks, may }: TokenScope): string {
  return `${may.join(', ')} · ${tasks === 'own' ? 'its own tasks' : 'all tasks'}`
}

/** One line for people: how wide its tasks may be. */
export function ceilingText({ ceiling }: TokenScope): string {
  const { sandbox, preset, network, folders, hosts = [], accounts = [] } = ceiling
  const where = folders === null ? 'any folder' : folders.join(', ')
  const there = hosts.map((place) => (place.includes(':') ? `on ${place}` : `on ${place} in any folder`))
  const who = accounts.length === 0 ? [] : [`account ${accounts.join(', ')}`]
  return [sandbox, preset, ...(network ? ['network'] : []), where, ...there, ...who].join(' · ')
}
