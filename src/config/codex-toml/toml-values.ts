import { parse, type TomlError } from 'smol-toml'
import type { Table } from '../untyped.ts'
import { ConfigError } from './config-error.ts'

/** The values of a config.toml; integers above 2^53 are bigints. The parser's own message would quote the lines around. */
export function tomlValues(text: string): Table {
  try {
    return parse(text.startsWith('\uFEFF') ? text.slice(1) : text, { integersAsBigInt: 'asNeeded' })
  } catch (error) {
    const { line, column } = error as TomlError
    throw new ConfigError(
      'config-broken',
      `config.toml:${line}:${column} cannot be read: mend it, then try again`,
      { cause: error },
    )
  }
}
