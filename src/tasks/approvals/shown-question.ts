// A question as the service shows and keeps it. `always` is ours here: a standing rule that everyone sees and anyone can
// revoke, not an entry in a file of codex's.
import { isDeepStrictEqual } from 'node:util'
import { type Answer, type Choice, type Question, redactValue, withoutSecrets } from '../../codex/index.ts'

export function shownQuestion(question: Question, proposedRule: string | null): Question {
  const choices = question.choices.filter(({ word }) => word !== 'always')
  if (proposedRule === null || !choices.some(({ word }) => word === 'once')) return { ...question, choices }
  const always: Choice = {
    word: 'always',
    effect: `Don't ask again in any task. Adds the standing rule "${proposedRule}" until it is revoked.`,
    lasts: 'for good',
  }
  const before = choices.filter(({ word }) => word === 'once' || word === 'session')
  return {
    ...question,
    choices: [...before, always, ...choices.filter((choice) => !before.includes(choice))],
  }
}

/** The standing rule lets the next ones through; this one is answered by itself. */
export function answerForCodex(answer: Answer): Answer {
  return answer === 'always' ? 'once' : answer
}

/** The answer as it may be stored. `isSecret`: what is kept is not what was given. */
export function keptAnswer(question: Question, answer: Answer): { answer: Answer; isSecret: boolean } {
  const kept = redactValue(withoutSecrets(question, answer)) as Answer
  return { answer: kept, isSecret: !isDeepStrictEqual(kept, answer) }
}
