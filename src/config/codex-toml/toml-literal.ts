import { parse } from 'smol-toml'

/** A value as a command line gives it: TOML, else the text itself. Dates are texts: JSON, which codex is sent, has none. */
export function tomlLiteral(written: string): unknown {
  try {
    const read = parse(`value = ${written}\n`)
    const { value } = read
    return Object.keys(read).length === 1 && !(value instanceof Date) ? value : written
  } catch {
    return written
  }
}
