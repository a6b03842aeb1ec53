// One thing to fill in, and what may be typed for it.

export interface Field {
  readonly name: string
  readonly label: string
  readonly hint: string | null
  readonly kind: 'text' | 'number' | 'integer' | 'boolean' | 'one' | 'many'
  readonly options: readonly FieldOption[]
  /** Whether something else than an option may be typed. */
  readonly allowsOther: boolean
  readonly isSecret: boolean
  readonly isRequired: boolean
  /** What stands there before anything is typed. */
  readonly initial: string
  /** Of a number its value, of text its length, of several options their count. */
  readonly min: number | null
  readonly max: number | null
}

interface FieldOption {
  readonly label: string
  readonly description: string | null
  readonly value: string
}

/** The value, or what is wrong with it. Neither when nothing was typed. */
export interface FieldInput {
  readonly value?: unknown
  readonly problem?: string
}

/** What was typed, as the value the field asks for. */
export function fieldValue(field: Field, typed: string): FieldInput {
  const text = typed.trim()
  if (text === '') return {}
  switch (field.kind) {
    case 'text':
      return inRange(field, typed, [...typed].length, 'characters')
    case 'number':
    case 'integer':
      return numberValue(field, text)
    case 'boolean':
      return booleanValue(text)
    case 'one':
      return optionValue(field, text)
    case 'many':
      return optionValues(field, text)
  }
}

function numberValue(field: Field, text: string): FieldInput {
  const value = Number(text)
  if (!Number.isFinite(value)) return { problem: 'a number is wanted' }
  if (field.kind === 'integer' && !Number.isInteger(value)) return { problem: 'a whole number is wanted' }
  return inRange(field, value, value, '')
}

function booleanValue(text: string): FieldInput {
  if (/^(y|yes|true)$/i.test(text)) return { value: true }
  return /^(n|no|false)$/i.test(text) ? { value: false } : { problem: 'y or n is wanted' }
}

function optionValue({ options, allowsOther }: Field, text: string): FieldInput {
  const chosen =
    options[Number(text) - 1] ?? options.find(({ label, value }) => label === text || value === text)
  if (chosen) return { value: chosen.value }
  return allowsOther ? { value: text } : { problem: `a number from 1 to ${options.length} is wanted` }
}

function optionValues(field: Field, text: string): FieldInput {
  const values: unknown[] = []
  for (const part of text.split(',').filter((piece) => piece.trim() !== '')) {
    const chosen = optionValue(field, part.trim())
    if (chosen.problem !== undefined)
      return { problem: `numbers from 1 to ${field.options.length} with commas are wanted` }
    if (!values.includes(chosen.value)) values.push(chosen.value)
  }
  return inRange(field, values, values.length, 'choices')
}

function inRange({ min, max }: Field, value: unknown, size: number, unit: string): FieldInput {
  if (min !== null && size < min) return { problem: `at least ${min} ${unit}`.trim() }
  if (max !== null && size > max) return { problem: `at most ${max} ${unit}`.trim() }
  return { value }
}
