import { parse } from 'smol-toml'
import { ConfigError } from './config-error.ts'

/**
 * A value as a command line gives it: TOML, else the text itself. Dates are texts: JSON, which codex is sent, has none.
 * Throws a ConfigError for `nan` and `inf`, which JSON makes null: codex would take the key out.
 */
export function tomlLiteral(written: string): unknown {
  const value = literal(written)
  if (!hasEndlessNumber(value)) return value
  throw new ConfigError(
    'config-refused',
    `${written}: nan and inf cannot be set through Codex: write them into config.toml, or quote them as a text`,
  )
}

function hasEndlessNumber(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value)
  return typeof value === 'object' && value !== null && Object.values(value).some(hasEndlessNumber)
}

function literal(written: string): unknown {
  try {
    const read = parse(`value = ${written}\n`)
    const { value } = read
    return Object.keys(read).length === 1 && !(value instanceof Date) ? value : written
  } catch {
    return written
  }
}
