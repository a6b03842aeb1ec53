// Reads a value where one is expected: in quotes, or up to what ends it.
import type { Writing } from './secret-value.ts'
import { readAt } from './span.ts'

/** Enough to decide on. Deciding must not read on to the end, or a line of nothing but names would take forever. */
const MAX_UNQUOTED = 200
const MAX_QUOTED = 4096
const OPENING_QUOTE = /[bBrRuUN]?(\\{0,3})(["'`])/y

export interface Value {
  readonly start: number
  /** Of what to decide on. */
  readonly end: number
  readonly writing: Writing
  /** Reads on from `end`, for a value that is longer than that. */
  readonly rest: RegExp | null
}

export interface Name {
  readonly start: number
  readonly end: number
  readonly text: string
}

interface Unquoted {
  readonly head: RegExp
  readonly rest: RegExp
}

function unquoted(ends: string): Unquoted {
  const characters = `[^\\s"'\`\\\\${ends}]`
  return {
    head: new RegExp(`${characters}{1,${MAX_UNQUOTED}}`, 'y'),
    rest: new RegExp(`${characters}+`, 'y'),
  }
}

/** What ends a value without quotes: alone on its line, in a query, anywhere else. */
export const WHOLE_LINE: Unquoted = unquoted('')
export const QUERY_VALUE: Unquoted = unquoted('&#<>()')
export const UNQUOTED: Unquoted = unquoted(',;&|(){}[\\]<>')

export function readUnquoted(text: string, start: number, form: Unquoted, writing: Writing): Value | null {
  const head = readAt(form.head, text, start)?.[0]
  if (head === undefined) return null
  return { start, end: start + head.length, writing, rest: head.length === MAX_UNQUOTED ? form.rest : null }
}

/** Up to the same quote, on the same line. One that is cut short reaches to the next space. */
export function readQuoted(text: string, at: number): Value | null {
  const opening = readAt(OPENING_QUOTE, text, at)
  if (!opening) return null
  const start = at + opening[0].length
  const end = closingQuote(text, start, opening[2]!, opening[1]!.length)
  if (end !== null) return { start, end, writing: 'quoted', rest: null }
  return readUnquoted(text, start, UNQUOTED, 'quoted')
}

function closingQuote(text: string, start: number, quote: string, escapes: number): number | null {
  const limit = Math.min(text.length, start + MAX_QUOTED)
  let backslashes = 0
  for (let at = start; at < limit; at++) {
    const character = text[at]
    if (character === '\n') return null
    if (character === quote && (escapes > 0 ? backslashes <= escapes : backslashes % 2 === 0)) {
      return at - backslashes
    }
    backslashes = character === '\\' ? backslashes + 1 : 0
  }
  return null
}
