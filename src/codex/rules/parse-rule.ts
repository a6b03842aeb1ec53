// A rule from JSON: checked by hand, so that a rule that cannot be meant is never stored.
import { isPlainLine } from './plain-text.ts'
import type { Rule, RuleKind } from './rule.ts'
import { FIELDS, type Field, SUBJECTS } from './rule-fields.ts'

export type ParsedRule =
  | { readonly rule: Rule; readonly problem: null }
  | { readonly rule: null; readonly problem: string }

const MAX_VALUES = 200
/** The last moment a `Date` can say. */
const MAX_TIME = 8_640_000_000_000_000

class Problem extends Error {}

/** The rule in `value`, or what is wrong with it. Unknown fields are refused: they may have been meant to narrow it. */
export function parseRule(value: unknown): ParsedRule {
  try {
    return { rule: ruleFrom(record(value, 'the rule')), problem: null }
  } catch (error) {
    if (error instanceof Problem) return { rule: null, problem: error.message }
    throw error
  }
}

function ruleFrom(value: Readonly<Record<string, unknown>>): Rule {
  const { id, answer, kind, match, expiresAt, note, ...more } = value
  const [unknown] = Object.keys(more)
  if (unknown !== undefined) throw new Problem(`a rule has no field ${JSON.stringify(unknown)}`)
  if (answer !== 'allow' && answer !== 'deny' && answer !== 'ask')
    throw new Problem('answer must be allow, deny or ask')
  if (typeof kind !== 'string' || !Object.hasOwn(FIELDS, kind))
    throw new Problem(`kind must be one of ${Object.keys(FIELDS).join(', ')}`)
  return {
    id: plainLine(id, 'id'),
    answer,
    kind,
    match: matchFrom(kind as RuleKind, record(match ?? {}, 'match')),
    ...(expiresAt === undefined ? {} : { expiresAt: timeFrom(expiresAt) }),
    ...(note === undefined ? {} : { note: plainLine(note, 'note') }),
  } as Rule
}

function matchFrom(kind: RuleKind, value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const fields = [...SUBJECTS[kind], ...FIELDS[kind]]
  const unknown = Object.keys(value).find((name) => !fields.some((field) => field.name === name))
  if (unknown !== undefined)
    throw new Problem(`a ${kind} rule has no field ${JSON.stringify(unknown)} in match`)
  const given = fields.filter(({ name }) => value[name] !== undefined)
  const match = Object.fromEntries(given.map((field) => [field.name, fieldFrom(field, value[field.name])]))
  const missing = SUBJECTS[kind].filter(({ name }) => match[name] === undefined).map((field) => field.name)
  if (kind === 'command') checkWords(match)
  else if (missing.length > 0) throw new Problem(`a ${kind} rule needs ${missing.join(' and ')}`)
  return match
}

function checkWords({ argvPrefix, command }: Record<string, unknown>): void {
  if ((argvPrefix === undefined) === (command === undefined))
    throw new Problem('a command rule needs argvPrefix or command, and not both')
  const words = (argvPrefix ?? command) as readonly string[]
  if (command !== undefined && words.length === 0) throw new Problem('command has no words')
  if (words[0] === '') throw new Problem('the first word is empty')
}

function fieldFrom(field: Field, value: unknown): unknown {
  if (field.holds === 'flag') {
    if (typeof value !== 'boolean') throw new Problem(`${field.name} must be true or false`)
    return value
  }
  if (field.holds === 'text') return checked(field, value)
  if (!Array.isArray(value) || value.length > MAX_VALUES)
    throw new Problem(`${field.name} must be a list of at most ${MAX_VALUES}`)
  // A path rule about no path, a label condition without a label: nobody means that.
  if (value.length === 0 && !['argvPrefix', 'command', 'options', 'env'].includes(field.name))
    throw new Problem(`${field.name} is empty`)
  return value.map((one) => checked(field, one))
}

function checked(field: Field, value: unknown): string {
  if (typeof value !== 'string') throw new Problem(`${field.name} must be text`)
  const problem = field.problem(value)
  if (problem !== null) throw new Problem(`${JSON.stringify(value)} in ${field.name} ${problem}`)
  return value
}

function plainLine(value: unknown, name: string): string {
  if (typeof value !== 'string' || value.trim() === '' || value.length > 4000 || !isPlainLine(value))
    throw new Problem(`${name} must be one line of text`)
  return value
}

function timeFrom(value: unknown): number {
  const time = typeof value === 'string' ? Date.parse(value) : value
  if (typeof time !== 'number' || !Number.isInteger(time) || time < 0 || time > MAX_TIME)
    throw new Problem('expiresAt must be a time: milliseconds since 1970, or like 2026-12-31T18:00:00Z')
  return time
}

function record(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Problem(`${name} must be an object`)
  return value as Readonly<Record<string, unknown>>
}
