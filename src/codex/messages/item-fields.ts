// Reading an item that may be newer, older or broken: a field is what we expect, or its empty value.
export type ItemFields = Readonly<Record<string, unknown>>

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function fieldsOf(value: unknown): ItemFields {
  return isFields(value) ? value : {}
}

export function isFields(value: unknown): value is ItemFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The same fields without those that are null, undefined or the empty string. */
export function present(fields: ItemFields): ItemFields {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined && value !== ''),
  )
}
