// A form from the JSON Schema of an object, as MCP servers may ask for one: flat, of plain values.

export interface FormField {
  readonly name: string
  readonly label: string
  readonly hint: string | null
  readonly type: 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'choices'
  readonly isRequired: boolean
  readonly options: readonly { readonly value: string; readonly text: string }[]
  readonly initial: string | boolean | readonly string[]
}

export type FormValues = Readonly<Record<string, string | boolean | readonly string[]>>

interface Schema {
  readonly type?: unknown
  readonly title?: unknown
  readonly description?: unknown
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly enumNames?: readonly unknown[]
  readonly oneOf?: readonly { const?: unknown; title?: unknown }[]
  readonly items?: Schema & { readonly anyOf?: readonly { const?: unknown; title?: unknown }[] }
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

export function formFields(schema: unknown): FormField[] {
  const { properties = {}, required = [] } = (schema ?? {}) as Schema
  return Object.entries(properties).map(([name, field]) => {
    const type = fieldType(field)
    return {
      name,
      label: typeof field.title === 'string' ? field.title : name,
      hint: typeof field.description === 'string' ? field.description : null,
      type,
      isRequired: required.includes(name),
      options: type === 'choices' ? optionsOf(field.items ?? {}) : optionsOf(field),
      initial: initialOf(field, type),
    }
  })
}

export function firstValues(fields: readonly FormField[]): FormValues {
  return Object.fromEntries(fields.map(({ name, initial }) => [name, initial]))
}

/** The values in the types that were asked for; what is wrong, by field. What was left empty is left out. */
export function formContent(fields: readonly FormField[], values: FormValues) {
  const content: Record<string, unknown> = {}
  const errors: Record<string, string> = {}
  for (const field of fields) {
    const value = values[field.name]
    if (field.type === 'boolean') content[field.name] = value === true
    else if (field.type === 'choices') content[field.name] = value
    else if (value === '' || value === undefined) {
      if (field.isRequired) errors[field.name] = 'This is needed.'
    } else if (field.type === 'number' || field.type === 'integer') {
      const number = Number(value)
      const isRight = Number.isFinite(number) && (field.type === 'number' || Number.isInteger(number))
      if (isRight) content[field.name] = number
      else errors[field.name] = field.type === 'integer' ? 'Not a whole number.' : 'Not a number.'
    } else content[field.name] = value
  }
  return { content, errors }
}

function fieldType({ type, enum: words, oneOf }: Schema): FormField['type'] {
  if (type === 'array') return 'choices'
  if (words !== undefined || oneOf !== undefined) return 'choice'
  return type === 'number' || type === 'integer' || type === 'boolean' ? type : 'text'
}

function optionsOf({ enum: words = [], enumNames = [], oneOf, anyOf }: Schema & { anyOf?: Schema['oneOf'] }) {
  const named = oneOf ?? anyOf
  if (named)
    return named.map(({ const: value, title }) => ({ value: String(value), text: String(title ?? value) }))
  return words.map((word, index) => ({ value: String(word), text: String(enumNames[index] ?? word) }))
}

function initialOf(field: Schema, type: FormField['type']): FormField['initial'] {
  if (type === 'boolean') return field.default === true
  if (type === 'choices') return Array.isArray(field.default) ? field.default.map(String) : []
  return field.default === undefined || field.default === null ? '' : String(field.default)
}
