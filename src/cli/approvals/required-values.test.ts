import { describe, expect, it } from 'vitest'
import { commandQuestion, elicitationQuestion, userInputQuestion } from '../../../test/support/questions.ts'
import type { Approval } from '../../api/index.ts'
import { requireValues } from './required-values.ts'

const NONE = { value: [], secret: [], skip: [] }
const asked = { header: '', question: '?', isOther: false, isSecret: false, options: null }

function check(question: object, given: Partial<typeof NONE> | Record<string, string[]>): void {
  requireValues(question as Approval['question'], { ...NONE, ...given })
}

describe('an answer to the model', () => {
  const question = userInputQuestion([
    { id: 'colour', ...asked },
    { id: 'name', ...asked },
    { id: 'token', ...asked, isSecret: true },
  ])

  it('has a value for each question, or says that there is none', () => {
    expect(() => check(question, { value: ['colour=red', 'name=x'], secret: ['token'] })).not.toThrow()
    expect(() => check(question, { value: ['colour=red'], skip: ['name', 'token'] })).not.toThrow()
    expect(() => check(userInputQuestion([{ id: 'colour', ...asked }]), { value: ['red'] })).not.toThrow()
  })

  it('that leaves one out is refused, with what to add', () => {
    expect(() => check(question, { value: ['colour=red'], secret: ['token'] })).toThrow(
      /^"name" has no value: add --value name=…; to leave it out on purpose: --skip name$/,
    )
    expect(() => check(question, { value: ['colour=red'] })).toThrow(
      /^"name", "token" have no value: add --value name=… --secret token; to leave them out on purpose: --skip name --skip token$/,
    )
  })

  it('does not skip what it gives, nor what is not asked', () => {
    expect(() => check(question, { value: ['name=x'], skip: ['name'] })).toThrow(
      '--skip name: it is given a value, too',
    )
    expect(() => check(question, { skip: ['size'] })).toThrow(
      '--skip size: that is not asked for; the names are colour, name, token',
    )
  })
})

describe('a form', () => {
  const properties = { name: { type: 'string' }, age: { type: 'integer' } }
  const question = elicitationQuestion({ schema: { type: 'object', properties, required: ['name'] } })

  it('needs what it requires, and nothing else', () => {
    expect(() => check(question, { value: ['name=Ann'] })).not.toThrow()
    expect(() => check(question, { value: ['name=Ann'], skip: ['age'] })).not.toThrow()
    expect(() => check(question, { value: ['age=3'] })).toThrow(/^"name" has no value: add --value name=…$/)
    expect(() => check(question, { skip: ['name'] })).toThrow(
      '--skip name: it is required; drawbridge deny answers with no',
    )
  })
})

it('what asks for no values is left to whoever makes the answer', () => {
  expect(() => check(commandQuestion(), { value: ['x'] })).not.toThrow()
  expect(() => check(commandQuestion(), { skip: ['x'] })).toThrow('--skip x: that is not asked for')
})
