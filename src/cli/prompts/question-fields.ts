// What a question wants to have filled in, one field after the other.
import type { ElicitationQuestion, UserInputQuestion } from '../../codex/index.ts'
import type { Field } from './field.ts'

const PLAIN: Omit<Field, 'name' | 'label'> = {
  hint: null,
  kind: 'text',
  options: [],
  allowsOther: true,
  isSecret: false,
  isRequired: false,
  initial: '',
  min: null,
  max: null,
}

/** What the model asks of the user. */
export function userInputFields({ questions }: UserInputQuestion): Field[] {
  return questions.map(({ id, header, question, options, isOther, isSecret }) => {
    const offered = (options ?? []).map(({ label, description }) => ({ label, description, value: label }))
    return {
      ...PLAIN,
      name: id,
      label: header && header !== question ? `${header}: ${question}` : question,
      kind: offered.length > 0 ? 'one' : 'text',
      options: offered,
      allowsOther: isOther || offered.length === 0,
      isSecret,
    }
  })
}

interface PropertySchema {
  readonly type?: string
  readonly title?: string
  readonly description?: string
  readonly default?: unknown
  readonly format?: string
  readonly enum?: readonly string[]
  readonly enumNames?: readonly string[]
  readonly oneOf?: readonly TitledValue[]
  readonly items?: { readonly enum?: readonly string[]; readonly anyOf?: readonly TitledValue[] }
  readonly [limit: string]: unknown
}

interface TitledValue {
  readonly const: string
  readonly title?: string
}

/** The form of an MCP server: the properties of a flat JSON Schema. Codex loses their order (0.166): required ones first. */
export function schemaFields({ schema }: ElicitationQuestion): Field[] {
  const { properties, required } = Object(schema) as { properties?: object; required?: unknown }
  const needed = new Set(Array.isArray(required) ? required : [])
  const fields = Object.entries(properties ?? {}).map(([name, property]) => ({
    ...schemaField(name, Object(property)),
    isRequired: needed.has(name),
  }))
  return fields.sort((one, other) => Number(other.isRequired) - Number(one.isRequired))
}

function schemaField(name: string, schema: PropertySchema): Field {
  const options = optionsOf(schema)
  const kind = kindOf(schema, options.length > 0)
  const [min, max] = limitsOf(schema, kind)
  return {
    ...PLAIN,
    name,
    label: schema.title ?? name,
    hint: [schema.description, schema.format].filter(Boolean).join('; ') || null,
    kind,
    options,
    allowsOther: options.length === 0,
    initial: initialOf(schema.default),
    min,
    max,
  }
}

function kindOf({ type, items }: PropertySchema, hasOptions: boolean): Field['kind'] {
  if (hasOptions) return type === 'array' || items ? 'many' : 'one'
  return type === 'number' || type === 'integer' || type === 'boolean' ? type : 'text'
}

function optionsOf({ enum: values, enumNames, oneOf, items }: PropertySchema): Field['options'] {
  const titled = oneOf ?? items?.anyOf
  if (titled)
    return titled.map(({ const: value, title }) => ({ label: title ?? value, description: null, value }))
  const plain = values ?? items?.enum ?? []
  return plain.map((value, index) => ({ label: enumNames?.[index] ?? value, description: null, value }))
}

function limitsOf(schema: PropertySchema, kind: Field['kind']): [number | null, number | null] {
  const [min, max] =
    kind === 'text'
      ? [schema.minLength, schema.maxLength]
      : kind === 'many'
        ? [schema.minItems, schema.maxItems]
        : [schema.minimum, schema.maximum]
  return [typeof min === 'number' ? min : null, typeof max === 'number' ? max : null]
}

function initialOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.join(',')
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
