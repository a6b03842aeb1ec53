// A rule in one line: `allow command git status`, `deny path /etc/**`, `ask label=ci until=2026-12-31 mcp github.*`.
// Answer, conditions as `key=value`, kind, subject. Quotes as in a shell.
import { type ParsedRule, parseRule } from './parse-rule.ts'
import type { Rule, RuleKind } from './rule.ts'
import { FIELDS, type Field, SUBJECTS } from './rule-fields.ts'
import { quoteWord } from './shell-quote.ts'
import { shellWords } from './shell-words.ts'

const KINDS: Readonly<Record<string, RuleKind>> = {
  command: 'command',
  exact: 'command',
  path: 'path',
  mcp: 'mcp',
  host: 'host',
  network: 'network',
  elicitation: 'elicitation',
  input: 'input',
}

/** The rule a line says. Without `id=` its id is the line as it is printed. */
export function parseRuleText(text: string): ParsedRule {
  const read = readLine(text)
  if (typeof read === 'string') return failed(read)
  const { answer, conditions, noun, subject } = read
  const kind = KINDS[noun]!
  const value = new Map<string, unknown>()
  const problem = fill(value, conditions, FIELDS[kind]) ?? fillSubject(value, noun, subject)
  if (problem !== null) return failed(problem)
  const { id, until, note } = Object.fromEntries(
    ['id', 'until', 'note'].map((key) => [key, value.get(`rule:${key}`)]),
  )
  const match = Object.fromEntries([...value].filter(([name]) => !name.startsWith('rule:')))
  const rule = {
    answer,
    kind,
    match,
    ...(until === undefined ? {} : { expiresAt: until }),
    ...(note === undefined ? {} : { note }),
  }
  const parsed = parseRule({ ...rule, id: id ?? 'new' })
  if (parsed.rule === null || id !== undefined) return parsed
  return parseRule({ ...parsed.rule, id: printBody(parsed.rule) })
}

/** The line that reads back as the same rule. */
export function printRule(rule: Rule): string {
  const body = printBody(rule)
  return rule.id === body ? body : body.replace(/^\w+/, (answer) => `${answer} id=${quoteWord(rule.id)}`)
}

function printBody({ answer, kind, match, expiresAt, note }: Rule): string {
  const values = match as Readonly<Record<string, unknown>>
  const conditions = FIELDS[kind]
    .filter((field) => kind !== 'path' || field.name !== 'paths')
    .flatMap((field) => printField(field, values[field.name]))
  if (expiresAt !== undefined) conditions.push(`until=${new Date(expiresAt).toISOString()}`)
  if (note !== undefined) conditions.push(`note=${quoteWord(note)}`)
  return [answer, ...conditions, ...printSubject(kind, values)].join(' ')
}

function printField({ key, holds }: Field, value: unknown): string[] {
  if (value === undefined) return []
  if (holds === 'flag') return [`${key}=${value === true ? 'yes' : 'no'}`]
  const list = holds === 'list' ? (value as readonly string[]) : [value as string]
  return list.length === 0 ? [`${key}=`] : list.map((one) => `${key}=${quoteWord(one)}`)
}

function printSubject(kind: RuleKind, match: Readonly<Record<string, unknown>>): string[] {
  if (kind === 'mcp') return ['mcp', quoteWord(`${match.server}.${match.tool}`)]
  if (kind === 'command' && match.command) return ['exact', ...(match.command as string[]).map(quoteWord)]
  const values = SUBJECTS[kind].flatMap(({ name }) => (match[name] ?? []) as string | string[])
  return [kind, ...values.map(quoteWord)]
}

interface Line {
  readonly answer: string
  readonly conditions: readonly string[]
  readonly noun: string
  readonly subject: readonly string[]
}

function readLine(text: string): Line | string {
  const read = shellWords(quoteWildcards(text))
  if ('unread' in read) return `the rule cannot be read: ${read.unread}`
  if (read.tokens.some(({ type }) => type === 'operator'))
    return 'a rule has no operators: put them in quotes'
  const [answer = '', ...words] = read.tokens.map((token) => token.text)
  const at = words.findIndex((word) => !/^[a-z-]+=/.test(word))
  const noun = words[at]
  if (noun === undefined || !Object.hasOwn(KINDS, noun))
    return `say what it is about: <allow|deny|ask> <${Object.keys(KINDS).join('|')}> …`
  return { answer, conditions: words.slice(0, at), noun, subject: words.slice(at + 1) }
}

/** `*` and `?` are wildcards of the rule itself here, so they need no quotes. */
function quoteWildcards(text: string): string {
  return text.replace(/'[^']*'|"(?:\\[\s\S]|[^"\\])*"|\\[\s\S]|[*?]+/g, (piece) =>
    /^[*?]/.test(piece) ? `'${piece}'` : piece,
  )
}

const RULE_KEYS = ['id', 'until', 'note']

function fill(
  value: Map<string, unknown>,
  conditions: readonly string[],
  fields: readonly Field[],
): string | null {
  for (const condition of conditions) {
    const at = condition.indexOf('=')
    const [key, given] = [condition.slice(0, at), condition.slice(at + 1)]
    const field = fields.find((known) => known.key === key)
    if (!field && !RULE_KEYS.includes(key)) return `this kind of rule has no condition ${key}=`
    const name = field?.name ?? `rule:${key}`
    if (field?.holds === 'list')
      value.set(name, [...((value.get(name) as string[]) ?? []), ...(given === '' ? [] : [given])])
    else if (value.has(name)) return `${key}= stands there twice`
    else if (field?.holds === 'flag' && given !== 'yes' && given !== 'no') return `${key}= must be yes or no`
    else value.set(name, field?.holds === 'flag' ? given === 'yes' : given)
  }
  return null
}

function fillSubject(value: Map<string, unknown>, noun: string, subject: readonly string[]): string | null {
  if (noun === 'command' || noun === 'exact') value.set(noun === 'exact' ? 'command' : 'argvPrefix', subject)
  else if (noun === 'path') value.set('paths', subject)
  else if (noun === 'network' || noun === 'input')
    return subject.length > 0 ? `${noun} takes no more words` : null
  else if (subject.length !== 1) return `${noun} takes one word`
  else if (noun === 'mcp') {
    const [one = ''] = subject
    const dot = one.indexOf('.')
    value.set('server', dot < 0 ? one : one.slice(0, dot))
    value.set('tool', dot < 0 ? '*' : one.slice(dot + 1))
  } else value.set(noun === 'host' ? 'host' : 'server', subject[0])
  return null
}

function failed(problem: string): ParsedRule {
  return { rule: null, problem }
}
