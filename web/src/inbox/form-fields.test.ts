import { describe, expect, it } from 'vitest'
import { commandText } from './command-text.ts'
import { firstValues, formContent, formFields } from './form-fields.ts'
import { partialGrant, permissionParts } from './permission-parts.ts'

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

describe('a command as a person would type it', () => {
  it.each([
    ["/bin/bash -lc 'npm test'", null, 'npm test'],
    ["/bin/bash -c 'echo '\\''hi'\\'''", null, "echo 'hi'"],
    ['bash -lc "echo \\"hi\\""', null, 'echo "hi"'],
    ['anything', ['/bin/zsh', '-lc', 'ls | wc'], 'ls | wc'],
    ['git push', ['git', 'push'], 'git push'],
  ])('%s', (command, argv, expected) => {
    expect(commandText(command, argv)).toBe(expected)
  })
})

describe('permissions', () => {
  const asked = { network: { enabled: true }, fileSystem: { read: ['/a'], write: ['/b', '/c'] } }

  it('are parts that can be granted one by one', () => {
    const parts = permissionParts(asked)
    expect(parts.map(({ id }) => id)).toEqual(['network', 'read /a', 'write /b', 'write /c'])
    const some = parts.filter(({ path }) => path === '/b')
    expect(partialGrant(some, 'turn')).toEqual({
      permissions: { fileSystem: { read: null, write: ['/b'] } },
      scope: 'turn',
    })
  })

  it('of an unknown shape have no parts', () => {
    expect([null, 3, { fileSystem: { read: 'x' } }].flatMap(permissionParts)).toEqual([])
  })
})
