import { describe, expect, it } from 'vitest'
import { commandQuestion, elicitationQuestion, userInputQuestion } from '../../../test/support/questions.ts'
import type { Answer } from '../../codex/index.ts'
import { answerForCodex, keptAnswer, shownQuestion } from './shown-question.ts'

const words = ({ choices }: { choices: readonly { word: string }[] }) => choices.map(({ word }) => word)

describe('a question as it is shown', () => {
  it('offers always with the rule it would make, before the refusals', () => {
    const shown = shownQuestion(commandQuestion(), 'allow exact touch made')
    expect(words(shown)).toEqual(['once', 'session', 'always', 'deny'])
    expect(shown.choices[2]).toMatchObject({
      lasts: 'for good',
      effect: expect.stringContaining('"allow exact touch made"'),
    })
  })

  it('does not offer always where no rule says it, whatever codex offers', () => {
    const choices = (['once', 'always', 'deny'] as const).map((word) => ({
      word,
      effect: '',
      lasts: 'now' as const,
    }))
    expect(words(shownQuestion(commandQuestion({ choices }), null))).toEqual(['once', 'deny'])
    const onlyNo = choices.filter(({ word }) => word === 'deny')
    expect(words(shownQuestion(commandQuestion({ choices: onlyNo }), 'allow command x'))).toEqual(['deny'])
  })
})

it('codex gets once for always: the rule lets the next ones through', () => {
  expect([answerForCodex('always'), answerForCodex('session')]).toEqual(['once', 'session'])
})

describe('an answer as it is kept', () => {
  const question = (isSecret: boolean) => {
    const fields = { header: '', question: '?', isOther: true, options: null }
    return userInputQuestion([
      { id: 'a', isSecret: false, ...fields },
      { id: 'b', isSecret, ...fields },
    ] as never)
  }
  const given = { answers: { a: ['one'], b: ['hunter2'] } }

  it.each<[string, Parameters<typeof keptAnswer>, { answer: Answer; isSecret: boolean }]>([
    ['a word', [commandQuestion(), 'once'], { answer: 'once', isSecret: false }],
    ['values', [question(false), given], { answer: given, isSecret: false }],
    [
      'a secret',
      [question(true), given],
      { answer: { answers: { a: ['one'], b: ['(secret)'] } }, isSecret: true },
    ],
    [
      'no secret given',
      [question(true), { answers: { a: ['one'] } }],
      { answer: { answers: { a: ['one'] } }, isSecret: false },
    ],
    [
      'codex’s own reply to a secret question',
      [question(true), { result: given }],
      { answer: { result: '(secret)' }, isSecret: true },
    ],
    ['a refusal of a secret question', [question(true), 'deny'], { answer: 'deny', isSecret: false }],
  ])('%s', (_, [asked, answer], kept) => {
    expect(keptAnswer(asked, answer)).toEqual(kept)
  })

  it('what looks like a key is masked, and known not to be what was given', () => {
    const secret = 'sk-proj-Zx81kQ0vN5tYpLw3mB7rDfGhJ2cVbXs94TuEaRiO'
    const { answer, isSecret } = keptAnswer(elicitationQuestion(), { content: { note: `use ${secret}` } })
    expect(isSecret).toBe(true)
    expect(JSON.stringify(answer)).not.toContain(secret)
  })
})
