// A file of another application as plain values, or why it could not be read, with line and column.
import { createRequire } from 'node:module'
import type { ParseError } from 'jsonc-parser'

/** The parsers are loaded when a file is read: everybody else who uses this room would wait for them, too. */
const require = createRequire(import.meta.url)

export interface FileProblem {
  readonly message: string
  /** Both from 1; null where the place is not known. */
  readonly line: number | null
  readonly column: number | null
}

export type Document = { readonly value: unknown } | { readonly problem: FileProblem }

const MAX_ALIASES = 100

export function readDocument(bytes: Buffer, format: 'json' | 'yaml'): Document {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return format === 'yaml' ? readYaml(text) : readJson(text)
  } catch (error) {
    const message =
      error instanceof RangeError
        ? 'is nested too deep'
        : error instanceof TypeError
          ? 'is not UTF-8'
          : 'cannot be read'
    return { problem: { message, line: null, column: null } }
  }
}

/** Comments and trailing commas are fine: several of the applications allow them. */
function readJson(text: string): Document {
  const { getNodeValue, parseTree, printParseErrorCode } =
    require('jsonc-parser') as typeof import('jsonc-parser')
  if (text.trim() === '') return { value: {} }
  const errors: ParseError[] = []
  const tree = parseTree(text, errors, { allowTrailingComma: true })
  const [first] = errors
  if (first || !tree) {
    const message = first ? `is not valid JSON (${printParseErrorCode(first.error)})` : 'is not valid JSON'
    return { problem: { message, ...placeOf(text, first?.offset ?? 0) } }
  }
  return { value: getNodeValue(tree) as unknown }
}

function readYaml(text: string): Document {
  const { LineCounter, parseDocument } = require('yaml') as typeof import('yaml')
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, logLevel: 'silent' })
  const [first] = document.errors
  if (first) {
    const { line, col } = lines.linePos(first.pos[0])
    return { problem: { message: `is not valid YAML (${first.code})`, line, column: col } }
  }
  return { value: document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown }
}

/** Line and column of an offset, both from 1. */
export function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset)
  const line = before.split('\n').length
  return { line, column: offset - before.lastIndexOf('\n') }
}
