// Questions that models of code mode (from gpt-6) ask in a message: codex does not wait for the answer, which is an
// ordinary message of the user. Pure: for whoever stores items and answers later, too.

import { BadAnswerError } from './family.ts'
import type { Choice, ParentTurn, UserInputQuestion } from './question.ts'
import { checkedAnswers } from './user-input.ts'

const CHOICES: readonly Choice[] = [
  { word: 'deny', effect: 'nothing is sent; the model goes on without an answer', lasts: 'now' },
]

/** The question in an item; null when it has none. */
export function asyncQuestion(
  item: unknown,
  {
    threadId,
    turnId,
    parent = null,
  }: { readonly threadId: string; readonly turnId: string; readonly parent?: ParentTurn | null },
): UserInputQuestion | null {
  const { type, delivery, questions, id } = Object(item) as Readonly<Record<string, unknown>>
  if (type !== 'agentMessage' || delivery !== 'async' || !Array.isArray(questions)) return null
  const asked = questions.map(readQuestion)
  if (asked.length === 0) return null
  const more = asked.length > 1 ? ` (and ${asked.length - 1} more)` : ''
  return {
    kind: 'user-input',
    requestId: null,
    method: null,
    threadId,
    turnId,
    itemId: typeof id === 'string' ? id : null,
    parent,
    title: `${asked[0]!.question}${more}`,
    reason: null,
    choices: CHOICES,
    params: item,
    questions: asked,
    isBlocking: false,
    delivery: 'async',
  }
}

/**
 * The message that answers: every question with what was given to it. Throws a `BadAnswerError` for answers to questions
 * that were not asked, and when nothing is answered at all.
 */
export function answerText(
  { questions }: Pick<UserInputQuestion, 'questions'>,
  answers: Readonly<Record<string, readonly string[]>>,
): string {
  const given = checkedAnswers({ answers }, questions)
  if (Object.values(given).every((texts) => texts.length === 0))
    throw new BadAnswerError('no question is answered: say "deny" to send nothing')
  const parts = questions.map(({ id, question }) => {
    const texts = given[id] ?? []
    return `${quoted(question)}\n${texts.length > 0 ? texts.join('\n') : '(no answer)'}`
  })
  return parts.join('\n\n')
}

function readQuestion(value: unknown, index: number): UserInputQuestion['questions'][number] {
  const { title, options } = Object(value) as { title?: unknown; options?: unknown }
  const labels = Array.isArray(options) ? options.filter((option) => typeof option === 'string') : []
  return {
    id: `q${index + 1}`,
    header: '',
    question: typeof title === 'string' ? title : 'an answer',
    isOther: true,
    isSecret: false,
    options: labels.length > 0 ? labels.map((label) => ({ label, description: '' })) : null,
  }
}

function quoted(text: string): string {
  return text.replaceAll(/^/gm, '> ')
}
