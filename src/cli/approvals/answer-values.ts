// `--value name=…` as the answer that a question takes. Where only one is wanted its name can be left out, but for a text
// with a = in it: a mistake in a name must not become the answer.
import type { Approval, Decide } from '../../api/index.ts'
import { UsageError } from '../process/index.ts'

type Question = Approval['question']

export function answerFromValues(question: Question, values: readonly string[]): Decide['answer'] {
  if (question.kind === 'user-input') return { answers: answersOf(question, values) }
  if (question.kind === 'elicitation') return { content: contentOf(question, values) }
  throw new UsageError(
    `nothing can be typed in here: drawbridge approve, or drawbridge deny (it is a ${question.kind})`,
  )
}

/** What can be filled in. */
function valueNames(question: Question): string[] {
  if (question.kind === 'user-input') return question.questions.map(({ id }) => id)
  return question.kind === 'elicitation' ? Object.keys(fieldsOf(question)) : []
}

/** `option` is the one that has the names. */
export function requireAsked(question: Question, names: readonly string[], option: string): void {
  const asked = valueNames(question)
  const wrong = names.find((name) => !asked.includes(name))
  if (wrong !== undefined) throw new UsageError(`${option} ${wrong}: that is not asked for; ${known(asked)}`)
}

/** The name of what `--value` gives. */
export function nameOfValue(question: Question, given: string): string {
  return named(given, valueNames(question)).name
}

function answersOf(
  { questions }: Extract<Question, { kind: 'user-input' }>,
  values: readonly string[],
): Record<string, string[]> {
  const answers: Record<string, string[]> = {}
  const names = questions.map(({ id }) => id)
  for (const given of values) {
    const { name, text } = named(given, names)
    answers[name] = [...(answers[name] ?? []), text]
  }
  return answers
}

interface Field {
  readonly type?: string
}

function contentOf(
  { schema }: Extract<Question, { kind: 'elicitation' }>,
  values: readonly string[],
): Record<string, unknown> {
  const properties = fieldsOf({ schema })
  const entries = values.map((given): [string, unknown] => {
    const { name, text } = named(given, Object.keys(properties))
    return [name, typed(name, text, properties[name]!)]
  })
  return Object.fromEntries(entries)
}

function fieldsOf({ schema }: { schema?: unknown }): Record<string, Field> {
  return (Object(schema) as { properties?: Record<string, Field> }).properties ?? {}
}

function typed(name: string, text: string, { type }: Field): unknown {
  if (type === 'boolean') {
    if (/^(true|yes|y)$/i.test(text)) return true
    if (/^(false|no|n)$/i.test(text)) return false
    throw new UsageError(`--value ${name}: say yes or no, not ${text}`)
  }
  if (type === 'array') return text.split(',')
  if (type !== 'number' && type !== 'integer') return text
  const number = Number(text)
  if (text.trim() === '' || Number.isNaN(number))
    throw new UsageError(`--value ${name}: not a number: ${text}`)
  return number
}

function named(given: string, names: readonly string[]): { name: string; text: string } {
  const name = names.find((known) => given.startsWith(`${known}=`))
  if (name !== undefined) return { name, text: given.slice(name.length + 1) }
  const [only, ...others] = names
  if (only !== undefined && others.length === 0 && !given.includes('=')) return { name: only, text: given }
  throw new UsageError(`--value ${given}: write name=value; ${known(names)}`)
}

function known(names: readonly string[]): string {
  if (names.length === 0) return 'but nothing can be filled in here'
  return names.length === 1 ? `the name is ${names[0]}` : `the names are ${names.join(', ')}`
}
