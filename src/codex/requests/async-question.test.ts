import { describe, expect, it } from 'vitest'
import { answerText, asyncQuestion } from './async-question.ts'

const place = { threadId: 'thread', turnId: 'turn' }
const questions = [
  { title: 'Which colour?', options: ['Red', 'Green'] },
  { title: 'What\nname?', options: null },
]
const item = { type: 'agentMessage', id: 'item', text: 'Which colour?', delivery: 'async', questions }

describe('a question in a message', () => {
  it('has the message’s questions and options, and nothing codex waits for', () => {
    expect(asyncQuestion(item, place)).toMatchObject({
      kind: 'user-input',
      ...place,
      requestId: null,
      method: null,
      itemId: 'item',
      parent: null,
      title: 'Which colour? (and 1 more)',
      isBlocking: false,
      delivery: 'async',
      params: item,
      questions: [
        {
          id: 'q1',
          question: 'Which colour?',
          isOther: true,
          isSecret: false,
          options: [
            { label: 'Red', description: '' },
            { label: 'Green', description: '' },
          ],
        },
        { id: 'q2', question: 'What\nname?', options: null },
      ],
    })
    const parent = { threadId: 'parent', turnId: 'its turn' }
    expect(asyncQuestion(item, { ...place, parent })).toMatchObject({ parent })
    expect(asyncQuestion({ ...item, questions: questions.slice(1) }, place)!.title).toBe('What\nname?')
  })

  it('is none in any other item', () => {
    const others = [
      null,
      'text',
      { ...item, type: 'plan' },
      { ...item, delivery: null },
      { ...item, delivery: 'later' },
      { ...item, questions: null },
      { ...item, questions: [] },
    ]
    for (const other of others) expect(asyncQuestion(other, place)).toBeNull()
  })

  it('is read as far as it can be', () => {
    const odd = { ...item, id: 7, questions: [null, { title: 5, options: [1, 'One'] }] }
    expect(asyncQuestion(odd, place)).toMatchObject({
      itemId: null,
      questions: [
        { question: 'an answer', options: null },
        { question: 'an answer', options: [{ label: 'One' }] },
      ],
    })
  })
})

describe('the message that answers', () => {
  const question = asyncQuestion(item, place)!

  it('has every question with what was given to it', () => {
    expect(answerText(question, { q1: ['Green'], q2: ['Bob', 'or Bo'] })).toBe(
      '> Which colour?\nGreen\n\n> What\n> name?\nBob\nor Bo',
    )
    expect(answerText(question, { q2: ['Bob'] })).toBe('> Which colour?\n(no answer)\n\n> What\n> name?\nBob')
  })

  it('is not made of answers to something else', () => {
    expect(() => answerText(question, { q3: ['x'] })).toThrow(/no question "q3"/)
    expect(() => answerText(question, {})).toThrow(/no question is answered/)
    expect(() => answerText(question, { q1: [] })).toThrow(/no question is answered/)
    expect(() => answerText(question, { q1: 'Green' as never })).toThrow(/a list of texts/)
  })
})
