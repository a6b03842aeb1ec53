// Reads the part of shell language that means the same in bash, dash and zsh and that runs exactly what it shows:
// words, quotes without expansion, escapes, operators. Everything else is "cannot be read", never a guess.
import { unseenCharacter } from './plain-text.ts'

export interface Word {
  readonly type: 'word'
  readonly text: string
  /** How much of `text`, from its start, stood there without quotes: an assignment's name and `=` must. */
  readonly bareLength: number
}

interface Operator {
  readonly type: 'operator'
  readonly text: string
}

export type Token = Word | Operator

export type Tokens = { readonly tokens: readonly Token[] } | { readonly unread: string }

const MAX_COMMAND_LENGTH = 32_768

/** A redirection may carry one digit: dash reads no more. */
const OPERATOR = /^(?:&&|\|\||;|\||\n|[0-9]?(?:>>|>&|>|<))/
/**
 * Background `&`, `&>` `|&` `;;` `<<` `<(` `>|` `>!` `<1-9>` …: not every shell reads them alike, or they hide text.
 */
const OTHER_OPERATOR = /^(?:&(?!&)|\|&|;[;&]|[0-9]*(?:<[<(&>0-9-]|>>?[(|!])|[0-9]{2,}[<>]|\(|\))/
const EXPANDS: Readonly<Record<string, string>> = {
  $: 'a variable or substitution ($)',
  '`': 'a command substitution (`)',
  '*': 'a file pattern (*)',
  '?': 'a file pattern (?)',
  '{': 'a brace ({)',
  '}': 'a brace (})',
  '#': 'a comment (#)',
}

class Unread extends Error {}

/** The words and operators of a shell text, or why it cannot be read. Never throws. */
export function shellWords(text: string): Tokens {
  if (text.length > MAX_COMMAND_LENGTH) return { unread: `more than ${MAX_COMMAND_LENGTH} characters` }
  const unseen = unseenCharacter(text)
  if (unseen !== null) return { unread: `the character ${unseen}, which cannot be seen` }
  try {
    return { tokens: new Lexer(text).tokens() }
  } catch (error) {
    if (error instanceof Unread) return { unread: error.message }
    throw error
  }
}

/** The words of one command in which a shell would fill nothing in; null for any other text. */
export function plainWords(text: string): readonly string[] | null {
  const read = shellWords(text)
  if ('unread' in read || read.tokens.length === 0) return null
  return read.tokens.every(({ type }) => type === 'word') ? read.tokens.map((token) => token.text) : null
}

class Lexer {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  tokens(): Token[] {
    const tokens: Token[] = []
    while (this.#skipBlanks()) {
      const operator = this.#operator()
      tokens.push(operator ? { type: 'operator', text: operator } : this.#word())
    }
    return tokens
  }

  #skipBlanks(): boolean {
    for (;;) {
      const blank = /^(?:[ \t]|\\\n)+/.exec(this.#text.slice(this.#at, this.#at + 256))
      if (!blank) return this.#at < this.#text.length
      this.#at += blank[0].length
    }
  }

  #operator(): string | null {
    const ahead = this.#text.slice(this.#at, this.#at + 8)
    const other = OTHER_OPERATOR.exec(ahead)
    if (other) throw new Unread(`the operator ${other[0]}`)
    const operator = OPERATOR.exec(ahead)
    if (!operator) return null
    this.#at += operator[0].length
    return operator[0]
  }

  #word(): Word {
    let text = ''
    let bareLength = -1
    const startedAt = this.#at
    while (this.#at < this.#text.length && !/[ \t\n;&|<>()]/.test(this.#text[this.#at]!)) {
      const character = this.#text[this.#at++]!
      const isBare = !/['"\\]/.test(character)
      if (!isBare && bareLength < 0) bareLength = text.length
      if (character === "'") text += this.#singleQuoted()
      else if (character === '"') text += this.#doubleQuoted()
      else if (character === '\\') text += this.#escaped()
      else text += this.#bare(character, startedAt)
    }
    this.#refusePattern(startedAt)
    return { type: 'word', text, bareLength: bareLength < 0 ? text.length : bareLength }
  }

  #bare(character: string, startedAt: number): string {
    const expansion = EXPANDS[character]
    if (expansion !== undefined) throw new Unread(expansion)
    // Some builds of bash 3.2 take bytes inside these characters for blanks.
    if (character > '~') throw new Unread(`the character ${character} outside quotes`)
    const before = this.#at - 1 === startedAt ? '' : this.#text[this.#at - 2]!
    if (character === '~' && /^[=:]?$/.test(before)) throw new Unread('a home folder (~)')
    // zsh replaces `=ls` with the path of ls.
    if (character === '=' && before === '') throw new Unread('a word that starts with =')
    return character
  }

  /** `[` and `]` are patterns in any word but the lone `[` and `]` of a test. */
  #refusePattern(startedAt: number): void {
    const raw = this.#text.slice(startedAt, this.#at)
    if (raw === '[' || raw === ']') return
    const outsideQuotes = raw.replace(/\\[\s\S]|'[^']*'|"(?:\\[\s\S]|[^"\\])*"/g, '')
    if (/[[\]]/.test(outsideQuotes)) throw new Unread('a file pattern ([)')
  }

  #singleQuoted(): string {
    const end = this.#text.indexOf("'", this.#at)
    if (end < 0) throw new Unread("a ' without its end")
    const inside = this.#text.slice(this.#at, end)
    this.#at = end + 1
    return inside
  }

  #doubleQuoted(): string {
    let inside = ''
    for (;;) {
      const character = this.#text[this.#at++]
      if (character === undefined) throw new Unread('a " without its end')
      if (character === '"') return inside
      if (character === '\\') inside += this.#escapedInQuotes()
      else if (character === '`') throw new Unread(EXPANDS['`'])
      else if (character === '$' && this.#text[this.#at] !== '"') throw new Unread(EXPANDS.$)
      else inside += character
    }
  }

  #escapedInQuotes(): string {
    const character = this.#text[this.#at++]
    if (character === undefined) throw new Unread('a " without its end')
    if (character === '\n') return ''
    return /[$`"\\]/.test(character) ? character : `\\${character}`
  }

  #escaped(): string {
    const character = this.#text[this.#at++]
    if (character === undefined) throw new Unread('a \\ at the end')
    // Joined lines would hide what stands before a `~` or `=`.
    if (character === '\n') throw new Unread('a word that goes on in the next line')
    if (character > '~') throw new Unread(`the character ${character} outside quotes`)
    return character
  }
}
