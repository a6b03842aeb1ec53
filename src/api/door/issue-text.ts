// What is wrong with a request, as a sentence for a person. Programs have the issues themselves.
import type { z } from 'zod'

type Issue = z.core.$ZodIssue

/** `data` is what was sent: an issue does not tell whether something was there. */
export function issueText(issue: Issue, data: unknown): string {
  const name = issue.path.map(String).join('.') || 'the body'
  const wanted = wantedBy(issue)
  if (wanted !== null) return isMissing(issue, data) ? `${name} is missing` : `${name} must be ${wanted}`
  switch (issue.code) {
    case 'too_small':
      return `${name} ${tooSmall(issue)}`
    case 'too_big':
      return `${name} ${tooBig(issue)}`
    case 'unrecognized_keys':
      return `unknown field ${issue.keys.map((key) => [...issue.path, key].map(String).join('.')).join(', ')}`
    case 'invalid_format':
      return 'prefix' in issue ? `${name} must begin with ${issue.prefix}` : `${name}: ${issue.message}`
    default:
      return issue.path.length === 0 ? issue.message : `${name}: ${issue.message}`
  }
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

/** What should have been there; null where that was, but not as it should be. */
function wantedBy(issue: Issue): string | null {
  switch (issue.code) {
    case 'invalid_type':
      return TYPES[issue.expected] ?? issue.expected
    case 'invalid_value':
      return oneOf(issue.values)
    case 'invalid_union': {
      if (issue.errors.length === 0) return oneOf((issue as { options?: unknown[] }).options ?? [])
      const wanted = issue.errors.flat().map(wantedBy)
      return [...new Set(wanted.filter((each) => each !== null))].join(', or ') || 'something else'
    }
    default:
      return null
  }
}

function oneOf(values: readonly unknown[]): string {
  return values.length === 1 ? String(values[0]) : `one of ${values.map(String).join(', ')}`
}

function isMissing({ path }: Issue, data: unknown): boolean {
  return path.reduce<unknown>((value, key) => Object(value)[key], data) === undefined
}

type Bounds = Pick<z.core.$ZodIssueTooSmall, 'origin' | 'minimum' | 'inclusive'>

function tooSmall({ origin, minimum, inclusive }: Bounds): string {
  const least = amount(minimum)
  if (origin === 'string')
    return least === '1' ? 'must not be empty' : `is too short: at least ${least} characters`
  if (origin === 'array') return least === '1' ? 'must not be empty' : `has too few: at least ${least}`
  return inclusive ? `must be at least ${least}` : `must be more than ${least}`
}

function tooBig({ origin, maximum, inclusive }: z.core.$ZodIssueTooBig): string {
  const most = amount(maximum)
  if (origin === 'string') return `is too long: at most ${most} characters`
  if (origin === 'array') return `has too many: at most ${most}`
  return inclusive ? `must be at most ${most}` : `must be less than ${most}`
}

function amount(number: number | bigint): string {
  return number.toLocaleString('en-US')
}
