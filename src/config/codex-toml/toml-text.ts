// config.toml as text with places in it. Whatever is not edited keeps its bytes: comments, line ends, order, BOM.
import { createRequire } from 'node:module'
import type { AST } from 'toml-eslint-parser'
import { ConfigError } from './config-error.ts'

/** The parser is loaded when a file is edited: everybody else who uses this room would wait for it, too. */
const require = createRequire(import.meta.url)

export interface TomlText {
  readonly bom: '' | '\uFEFF'
  /** Without the BOM. */
  readonly text: string
  readonly eol: '\n' | '\r\n'
  readonly nodes: readonly (AST.TOMLKeyValue | AST.TOMLTable)[]
  /** Comments that have a line to themselves, in order. */
  readonly commentLines: readonly CommentLine[]
}

interface CommentLine {
  /** With the `#`. */
  readonly text: string
  /** Where its line begins, and where the next one does. */
  readonly start: number
  readonly end: number
}

/** Throws a ConfigError with line and column when it is not TOML. */
export function readToml(whole: string, name = 'config.toml'): TomlText {
  const bom = whole.startsWith('\uFEFF') ? '\uFEFF' : ''
  const text = whole.slice(bom.length)
  const program = parsed(text, name)
  const commentLines = program.comments.flatMap(({ range: [from, to] }) => {
    const start = text.lastIndexOf('\n', from - 1) + 1
    if (text.slice(start, from).trim() !== '') return []
    return [{ text: text.slice(from, to), start, end: lineEnd(text, to) }]
  })
  return { bom, text, eol: eolOf(text), nodes: program.body[0].body, commentLines }
}

function parsed(text: string, name: string): AST.TOMLProgram {
  const { parseTOML } = require('toml-eslint-parser') as typeof import('toml-eslint-parser')
  try {
    return parseTOML(text)
  } catch (error) {
    const { lineNumber, column, message } = error as {
      lineNumber?: number
      column?: number
      message?: string
    }
    const place = lineNumber === undefined ? '' : `:${lineNumber}:${(column ?? 0) + 1}`
    throw new ConfigError(
      'config-broken',
      `${name}${place} is not valid TOML (${message}): mend it, then try again`,
      {
        cause: error,
      },
    )
  }
}

/** The key of an entry, in parts. */
export function keyNames({ key }: AST.TOMLKeyValue): string[] {
  return key.keys.map((part) => (part.type === 'TOMLBare' ? part.name : part.value))
}

/** Where the line after the one at `offset` begins. */
export function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset)
  return end === -1 ? text.length : end + 1
}

/** That of the first line. */
function eolOf(text: string): '\n' | '\r\n' {
  const first = text.indexOf('\n')
  return first > 0 && text[first - 1] === '\r' ? '\r\n' : '\n'
}
