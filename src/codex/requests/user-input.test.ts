import { describe, expect, it } from 'vitest'
import { facts, PLACE } from './fixtures/facts.ts'
import type { Answer } from './question.ts'
import { userInput } from './user-input.ts'

const question = {
  id: 'go',
  header: 'Go',
  question: 'Shall we?',
  isOther: false,
  isSecret: false,
  options: null,
}
const params = { ...PLACE, questions: [question], isBlocking: false, autoResolutionMs: null }
const reply = (answer: Answer) => userInput.reply!(answer as never, params, facts())

describe('a question of the model', () => {
  it('is shown, also when it comes without questions', () => {
    expect(userInput.ask!(params, facts())).toMatchObject({
      kind: 'user-input',
      title: 'Shall we?',
      questions: [question],
      isBlocking: false,
      choices: [{ word: 'deny' }],
    })
    const { questions: _, isBlocking: __, ...bare } = params
    expect(userInput.ask!(bare as never, facts())).toMatchObject({
      title: 'an answer',
      questions: [],
      isBlocking: true,
    })
  })

  it('is answered by id, or not at all', () => {
    expect(reply({ answers: { go: ['yes', 'but'] } })).toEqual({
      answers: { go: { answers: ['yes', 'but'] } },
    })
    expect(reply({ answers: {} })).toEqual({ answers: {} })
    expect(reply('deny')).toEqual({ answers: {} })
    expect(userInput.refuse(params, facts())).toEqual({ answers: {} })
  })

  it('cannot be answered with what is not asked', () => {
    const bad = expect.objectContaining({ code: 'bad-answer' })
    expect(() => reply('once')).toThrow(bad)
    expect(() => reply('cancel')).toThrow(bad)
    expect(() => reply({ content: {} })).toThrow(bad)
    expect(() => reply({ answers: { went: ['yes'] } })).toThrow(/"went"/)
    expect(() => reply({ answers: { go: 'yes' as never } })).toThrow(/list of texts/)
  })
})
