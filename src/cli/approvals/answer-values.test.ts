import { describe, expect, it } from 'vitest'
import type { Approval } from '../../api/index.ts'
import { answerFromValues } from './answer-values.ts'

const asked = {
  requestId: 1,
  method: 'm',
  threadId: null,
  turnId: null,
  itemId: null,
  parent: null,
  title: '',
  reason: null,
  choices: [],
  params: {},
}
const one = { header: '', question: '?', isOther: false, isSecret: false, options: null }

function userInput(...ids: string[]): Approval['question'] {
  const questions = ids.map((id) => ({ id, ...one }))
  return { kind: 'user-input', ...asked, questions, isBlocking: true, delivery: 'request' }
}

const form: Approval['question'] = {
  kind: 'elicitation',
  ...asked,
  server: 's',
  message: 'm',
  url: null,
  schema: {
    type: 'object',
    properties: { name: { type: 'string' }, age: { type: 'integer' }, ok: { type: 'boolean' } },
  },
}

describe('values for what the model wants to know', () => {
  it('go to the question they name', () => {
    expect(answerFromValues(userInput('colour', 'size'), ['size=XL=2', 'colour=red'])).toEqual({
      answers: { size: ['XL=2'], colour: ['red'] },
    })
  })

  it('need no name when there is one question', () => {
    expect(answerFromValues(userInput('colour'), ['red'])).toEqual({ answers: { colour: ['red'] } })
  })

  it('are never taken whole for what has a name that is not asked', () => {
    expect(() => answerFromValues(userInput('colour'), ['name=red'])).toThrow('the name is colour')
    expect(answerFromValues(userInput('colour'), ['colour=a=b'])).toEqual({ answers: { colour: ['a=b'] } })
  })

  it('with a name that is not asked are refused, with those that are', () => {
    expect(() => answerFromValues(userInput('colour', 'size'), ['shape=round'])).toThrow(/colour, size/)
  })
})

describe('values for a form', () => {
  it('are of the type that the form asks for', () => {
    expect(answerFromValues(form, ['name=Ann', 'age=3', 'ok=yes'])).toEqual({
      content: { name: 'Ann', age: 3, ok: true },
    })
  })

  it('need no name when there is one field', () => {
    const schema = { type: 'object', properties: { age: { type: 'integer' } } }
    expect(answerFromValues({ ...form, schema }, ['3'])).toEqual({ content: { age: 3 } })
    expect(() => answerFromValues({ ...form, schema }, ['years=3'])).toThrow('the name is age')
  })

  it.each(['age=x', 'ok=perhaps', 'other=1', 'name'])('that do not fit are refused: %s', (value) => {
    expect(() => answerFromValues(form, [value])).toThrow(/--value/)
  })
})
