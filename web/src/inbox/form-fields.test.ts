import { describe, expect, it } from 'vitest'
import { firstValues, formContent, formFields } from './form-fields.ts'

const schema = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Your name', description: 'as on the card' },
    age: { type: 'integer' },
    price: { type: 'number' },
    isAdult: { type: 'boolean', default: true },
    color: { type: 'string', enum: ['r', 'g'], enumNames: ['Red', 'Green'] },
    size: { oneOf: [{ const: 's', title: 'Small' }] },
    tags: { type: 'array', items: { enum: ['a', 'b'] } },
  },
  required: ['name', 'age'],
}

describe('the form of a schema', () => {
  it('has a field for every property', () => {
    const fields = formFields(schema)
    expect(fields.map(({ name, type, isRequired }) => [name, type, isRequired])).toEqual([
      ['name', 'text', true],
      ['age', 'integer', true],
      ['price', 'number', false],
      ['isAdult', 'boolean', false],
      ['color', 'choice', false],
      ['size', 'choice', false],
      ['tags', 'choices', false],
    ])
    expect(fields[4]!.options).toEqual([
      { value: 'r', text: 'Red' },
      { value: 'g', text: 'Green' },
    ])
  })

  it('gives values in the types that were asked for, and leaves out what is empty', () => {
    const fields = formFields(schema)
    const values = { ...firstValues(fields), name: 'Ada', age: '36', color: 'g' }
    expect(formContent(fields, values)).toEqual({
      content: { name: 'Ada', age: 36, isAdult: true, color: 'g', tags: [] },
      errors: {},
    })
  })

  it('says what is missing and what is no number', () => {
    const fields = formFields(schema)
    const { errors } = formContent(fields, { ...firstValues(fields), age: '3.5', price: 'x' })
    expect(Object.keys(errors)).toEqual(['name', 'age', 'price'])
  })

  it('of no schema is empty', () => {
    expect(formFields(null)).toEqual([])
  })
})
