// How a question is answered from another command line.
import type { Question } from '../../codex/index.ts'
import { asTyped } from '../process/index.ts'
import { visibleLine } from '../screen/index.ts'
import type { Field } from './field.ts'
import { schemaFields, userInputFields } from './question-fields.ts'

const MAX_NAMES = 6

/** What to type to say yes; null when only no can be said. `id` is what the question is called there. */
export function answerCommand(id: string, question: Question): string | null {
  const fields = wantedFields(question)
  if (fields.length > 0) {
    const more = fields.length > MAX_NAMES ? ' …' : ''
    return `${asTyped(`drawbridge answer ${id}`)} ${fields.slice(0, MAX_NAMES).map(valueOption).join(' ')}${more}`
  }
  const words = question.choices
    .map(({ word }) => word)
    .filter((word) => word !== 'deny' && word !== 'cancel')
  if (words.length === 0) return null
  return asTyped(`drawbridge approve ${id}${words.length > 1 ? ` [${words.join('|')}]` : ''}`)
}

/** What to type to say yes, and no. */
export function howToAnswer(id: string, question: Question): string {
  const yes = answerCommand(id, question)
  return `${yes === null ? '' : `${yes}   or   `}${asTyped(`drawbridge deny ${id}`)}`
}

/** Whether yes cannot be said without values. */
export function needsValues(question: Question): boolean {
  return wantedFields(question).length > 0 && !question.choices.some(({ word }) => word === 'once')
}

/** What a question wants to have filled in. */
export function wantedFields(question: Question): Field[] {
  if (question.kind === 'user-input') return userInputFields(question)
  return question.kind === 'elicitation' ? schemaFields(question) : []
}

export function valueOption({ name, isSecret }: Field): string {
  return isSecret ? `--secret ${shellWord(name)}` : `--value ${shellWord(`${name}=…`)}`
}

/** Names are the model's, or a server's: what is copied into a shell must be one word there. */
export function shellWord(text: string): string {
  const word = visibleLine(text)
  return /^[\w.-]+(=…)?$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
