// The part of JSON Schema that a type can follow, as a type and as a check: what a tool is told it gets, it gets.
// Other keywords go to the model as they are and are not checked here; where they decide, the type is `unknown`.

/** A JSON Schema written by hand. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
  readonly '~standard'?: never
}

/** What a value that fits the schema looks like. */
export type JsonSchemaValue<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly anyOf: readonly (infer Option)[] }
      ? JsonSchemaValue<Option>
      : Schema extends { readonly type: readonly (infer Name)[] }
        ? OfType<Name, Schema>
        : Schema extends { readonly type: infer Name }
          ? OfType<Name, Schema>
          : unknown

type OfType<Name, Schema> = Name extends keyof Plain
  ? Plain[Name]
  : Name extends 'array'
    ? Schema extends { readonly items: infer Items }
      ? JsonSchemaValue<Items>[]
      : unknown[]
    : Name extends 'object'
      ? Schema extends { readonly properties: infer Fields }
        ? Flat<
            { -readonly [Key in keyof Fields & RequiredOf<Schema>]: JsonSchemaValue<Fields[Key]> } & {
              -readonly [Key in Exclude<keyof Fields, RequiredOf<Schema>>]?: JsonSchemaValue<Fields[Key]>
            }
          >
        : Record<string, unknown>
      : unknown

interface Plain {
  string: string
  number: number
  integer: number
  boolean: boolean
  null: null
}

type RequiredOf<Schema> = Schema extends { readonly required: readonly (infer Key)[] } ? Key : never
type Flat<Value> = { [Key in keyof Value]: Value[Key] }

/** Why the value does not fit the schema, as far as the type above tells; null when it does. */
export function misfit(value: unknown, schema: unknown, place = 'the arguments'): string | null {
  const { const: only, enum: allowed, anyOf, type } = Object(schema) as Record<string, unknown>
  if (only !== undefined && !isSame(value, only)) return `${place} must be ${JSON.stringify(only)}`
  if (Array.isArray(allowed) && !allowed.some((one) => isSame(value, one)))
    return `${place} must be one of ${JSON.stringify(allowed)}`
  if (Array.isArray(anyOf) && !anyOf.some((option) => misfit(value, option, place) === null))
    return `${place} fits none of the forms it can have`
  const names = type === undefined ? [] : [type].flat()
  if (names.length > 0 && !names.some((name) => isOfType(value, name)))
    return `${place} must be of type ${names.join(' or ')}`
  return misfitInside(value, Object(schema) as Record<string, unknown>, place)
}

function misfitInside(value: unknown, schema: Record<string, unknown>, place: string): string | null {
  if (Array.isArray(value))
    return firstMisfit(value.map((item, at) => misfit(item, schema.items, `${place}[${at}]`)))
  if (!isOfType(value, 'object')) return null
  const fields = Object(schema.properties) as Record<string, unknown>
  const given = value as Record<string, unknown>
  const required = Array.isArray(schema.required) ? schema.required : []
  const missing = required.find((name) => !Object.hasOwn(given, name))
  if (missing !== undefined) return `${place} lack ${missing}`
  const named = Object.keys(fields).filter((name) => Object.hasOwn(given, name))
  return firstMisfit(named.map((name) => misfit(given[name], fields[name], `${place}.${name}`)))
}

function firstMisfit(found: readonly (string | null)[]): string | null {
  return found.find((one) => one !== null) ?? null
}

function isOfType(value: unknown, name: unknown): boolean {
  if (name === 'null') return value === null
  if (name === 'array') return Array.isArray(value)
  if (name === 'integer') return Number.isInteger(value)
  if (name === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  return name === 'string' || name === 'number' || name === 'boolean' ? typeof value === name : true
}

/** Both came as JSON, and codex keeps the order of fields. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
