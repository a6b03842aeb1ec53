import { parse } from 'smol-toml'
import { ConfigError } from './config-error.ts'

/**
 * A value as a command line gives it: TOML, else the text itself. Dates are texts: JSON, which codex is sent, has none.
 * Throws a ConfigError for what JSON would change: `nan` and `inf` become null, and codex would take the key out.
 */
export function tomlLiteral(written: string): unknown {
  const value = literal(written)
  if (!hasUnsentNumber(value)) return value
  throw new ConfigError(
    'config-refused',
    `${written}: nan, inf and integers beyond 2^53 cannot be set through Codex: write them into config.toml, or quote them as a text`,
  )
}

/** What JSON has no word for. */
function hasUnsentNumber(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value)
  if (typeof value === 'bigint') return true
  return typeof value === 'object' && value !== null && Object.values(value).some(hasUnsentNumber)
}

function literal(written: string): unknown {
  try {
    const read = parse(`value = ${written}\n`, { integersAsBigInt: 'asNeeded' })
    const { value } = read
    return Object.keys(read).length === 1 && !(value instanceof Date) ? value : written
  } catch {
    return written
  }
}
