import { about, BadAnswerError, type Family } from './family.ts'
import type { Answer, Choice, UserInputQuestion } from './question.ts'

const CHOICES: readonly Choice[] = [
  { word: 'deny', effect: 'no answer is given; the model is told and the turn goes on', lasts: 'now' },
]

/** Questions of the model to the user. */
export const userInput: Family<'item/tool/requestUserInput'> = {
  refuse: () => ({ answers: {} }),

  ask(params, facts): UserInputQuestion {
    const [first, ...others] = params.questions ?? []
    const more = others.length > 0 ? ` (and ${others.length} more)` : ''
    return {
      ...about(params, facts),
      kind: 'user-input',
      method: 'item/tool/requestUserInput',
      title: `${first?.question ?? 'an answer'}${more}`,
      reason: null,
      questions: params.questions ?? [],
      isBlocking: params.isBlocking ?? true,
      delivery: 'request',
      choices: CHOICES,
    }
  },

  reply(answer, params) {
    if (answer === 'deny') return { answers: {} }
    const given = Object.entries(checkedAnswers(answer, params.questions))
    return { answers: Object.fromEntries(given.map(([id, answers]) => [id, { answers: [...answers] }])) }
  },
}

/** The texts given to these questions. Throws a `BadAnswerError` for anything else. */
export function checkedAnswers(
  answer: Answer,
  questions: readonly { readonly id: string }[],
): Readonly<Record<string, readonly string[]>> {
  if (typeof answer !== 'object' || !('answers' in answer))
    throw new BadAnswerError('questions are answered with { answers: { <question id>: [<text>] } }')
  const asked = new Set(questions.map(({ id }) => id))
  const stray = Object.keys(answer.answers).find((id) => !asked.has(id))
  if (stray !== undefined) throw new BadAnswerError(`there is no question "${stray}"`)
  const bare = Object.entries(answer.answers).find(([, answers]) => !Array.isArray(answers))
  if (bare) throw new BadAnswerError(`the answers to "${bare[0]}" are a list of texts`)
  return answer.answers
}
