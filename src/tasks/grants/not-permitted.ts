import { type Grant, type Right, TaskError } from '../model/index.ts'

const RIGHT_TEXTS: Readonly<Record<Right, string>> = {
  read: 'see tasks',
  start: 'start tasks or go on with them',
  answer: 'answer questions of tasks that others started',
  'answer-own': 'answer questions of tasks that it started or sent messages to, or of tasks below them',
}

/** The token lacks a right. */
export function lacks({ name, may }: Grant, right: Right): TaskError {
  const rights = [...may, right].join(',')
  return new TaskError(
    'not-permitted',
    `the token ${name} may not ${RIGHT_TEXTS[right]}: needs "${right}" (drawbridge token add … --may ${rights})`,
    { details: { token: name, needs: right } },
  )
}

/** No token can have it. */
export function ownerOnly({ name }: Grant, method: string): TaskError {
  return new TaskError(
    'not-permitted',
    `a named token such as ${name} can never do this (${method}): use the owner's token or the console`,
    { details: { token: name, needs: 'owner' } },
  )
}

/** Wider than the token's ceiling, or a field that a named token cannot set. `flag` is what a token would have to be made with. */
export function aboveCeiling(
  { name }: Grant,
  { what, flag }: { what: string; flag: string | null },
): TaskError {
  const needed = flag === null ? "only the owner's token or the console can" : `needs a token with ${flag}`
  return new TaskError('not-permitted', `the token ${name} may not ${what}: ${needed}`, {
    details: { token: name, needs: flag ?? 'owner' },
  })
}
