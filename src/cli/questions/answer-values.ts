// `--value name=…` as the answer that a question takes.
import type { Approval, Decide } from '../../api/index.ts'
import { UsageError } from '../usage-error.ts'

type Question = Approval['question']

export function answerFromValues(question: Question, values: readonly string[]): Decide['answer'] {
  if (question.kind === 'user-input') return { answers: answersOf(question, values) }
  if (question.kind === 'elicitation') return { content: contentOf(question, values) }
  throw new UsageError(
    `nothing can be typed in here: drawbridge approve, or drawbridge deny (it is a ${question.kind})`,
  )
}

function answersOf(
  { questions }: Extract<Question, { kind: 'user-input' }>,
  values: readonly string[],
): Record<string, string[]> {
  const answers: Record<string, string[]> = {}
  const [only] = questions
  for (const given of values) {
    const named = questions.find(({ id }) => given.startsWith(`${id}=`))
    if (!named && questions.length !== 1)
      throw unknownName(
        given,
        questions.map(({ id }) => id),
      )
    const { id } = named ?? only!
    answers[id] = [...(answers[id] ?? []), named ? given.slice(id.length + 1) : given]
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
  const { properties = {} } = Object(schema) as { properties?: Record<string, Field> }
  const entries = values.map((given): [string, unknown] => {
    const at = given.indexOf('=')
    const name = given.slice(0, at)
    const field = properties[name]
    if (at === -1 || !field) throw unknownName(given, Object.keys(properties))
    return [name, typed(name, given.slice(at + 1), field)]
  })
  return Object.fromEntries(entries)
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

function unknownName(given: string, names: readonly string[]): UsageError {
  return new UsageError(`--value ${given}: write name=value; the names are ${names.join(', ')}`)
}
