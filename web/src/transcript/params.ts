// Careful reading of what codex wrote: a field that is missing or of another type is as good as absent.

export type Params = Readonly<Record<string, unknown>>

export function asParams(value: unknown): Params {
  return typeof value === 'object' && value !== null ? (value as Params) : {}
}

export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

export function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}

export function listOf(value: unknown): readonly Params[] {
  return Array.isArray(value) ? value.map(asParams) : []
}
