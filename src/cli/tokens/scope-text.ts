import type { TokenScope } from '../../api/index.ts'

/** One line for people: what a token may do. */
export function mayText({ tasks, may }: TokenScope): string {
  return `${may.join(', ')} · ${tasks === 'own' ? 'its own tasks' : 'all tasks'}`
}

/** One line for people: how wide its tasks may be. */
export function ceilingText({ ceiling }: TokenScope): string {
  const { sandbox, preset, network, folders } = ceiling
  const where = folders === null ? 'any folder' : folders.join(', ')
  return [sandbox, preset, ...(network ? ['network'] : []), where].join(' · ')
}
