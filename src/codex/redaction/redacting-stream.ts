import { isInsidePrivateKey, isKeyLine } from './private-key-spans.ts'
import type { Redactor } from './redactor.ts'

/** What is held back at most. A line longer than this is given out in pieces, cut at a space where there is one. */
const MAX_HELD = 65_536

/** A single word that is longer is data, not a secret: it is not held until it ends. */
const MAX_WORD = 8_192

/** Words after which the rest of a line may be a secret. A secret that nothing announces is a single word. */
const ANNOUNCES =
  /key|token|secret|pass|pwd|_pw|auth|bearer|basic|cookie|credential|private|session|signature|sig=|curl|-u\b|--user|-----|login|docker|podman|nerdctl|buildah|skopeo|oras|registry|\baz\b|\bacr\b|\boc\b|identified|mysql|mariadb|mongo|redis|ldap|zip|7z|sqlcmd|smbclient|rpcclient|bcp|osql|tsql|name["']?:/i

/** A line after which the next one may be a secret: netrc's `login`, `name:` before `value:`, a key of a plist. */
const OPEN_LINE = /(?:\blogin[ \t]{1,8}\S{1,256}|\bname["']?[ \t]{0,8}:[^\n]{1,256}|<\/key>)[ \t]{0,8}\r?\n$/i
const MAX_OPEN_LINE = 600

/** What may stand before `NAME=value` on its line. Held back until more is known: the rest of the line is read by it. */
const LINE_OPENING = /^[-+>]?[ \t]{0,8}(?:(?:export|set|ENV|ARG|-|\+)[ \t]{1,4})?$/
const MAX_LINE_OPENING = 24

/** Stands for what was given out of the line before, so that the rest is not taken for the beginning of one. */
const MID_LINE = '. '

/**
 * Redacts a text that comes in pieces, for secrets that lie across two of them. Gives out whole words; from a word that
 * announces a secret on only the whole line, and a private key in one piece.
 */
export class RedactingStream {
  readonly #redact: (text: string) => string
  readonly #unfinishedEnd: (text: string) => number
  #held = ''
  #isMidLine = false
  #isJoining: boolean

  /**
   * `joinsMidway`: the beginning of the text was not heard, so it may begin within a secret. Then what comes before the
   * first whole line that is no line of a private key is left out.
   */
  constructor(
    redactor: ((text: string) => string) | Pick<Redactor, 'redact' | 'unfinishedEnd'>,
    { joinsMidway = false }: { joinsMidway?: boolean } = {},
  ) {
    this.#redact = typeof redactor === 'function' ? redactor : redactor.redact
    this.#unfinishedEnd = typeof redactor === 'function' ? () => 0 : redactor.unfinishedEnd
    this.#isJoining = joinsMidway
  }

  /** How many characters are held back. */
  get heldLength(): number {
    return this.#held.length
  }

  push(piece: string): string {
    this.#held = this.#held === '' ? piece : this.#held + piece
    if (this.#isJoining && !this.#join()) return ''
    const boundary = this.#boundary()
    const unfinished = this.#unfinishedEnd(this.#held)
    return this.#release(unfinished === 0 ? boundary : Math.min(boundary, this.#held.length - unfinished))
  }

  /** What is still held back. */
  end(): string {
    return this.#isJoining ? '' : this.#release(this.#held.length)
  }

  /** Forgets everything up to the first line that can be told to be no part of a private key. */
  #join(): boolean {
    const held = this.#held
    for (let line = held.indexOf('\n') + 1; line > 0; line = held.indexOf('\n', line) + 1) {
      const end = held.indexOf('\n', line)
      if (end === -1) {
        this.#held = held.length - line > MAX_HELD ? '' : held.slice(line - 1)
        return false
      }
      if (isKeyLine(held.slice(line, end))) continue
      this.#held = held.slice(line)
      this.#isJoining = false
      return true
    }
    this.#held = ''
    return false
  }

  #boundary(): number {
    const held = this.#held
    const line = held.lastIndexOf('\n') + 1
    const openLine = line === 0 ? 0 : openLineBefore(held, line)
    if (line === 0 || !isInsidePrivateKey(held.slice(0, line))) {
      const rest = line === 0 ? held : held.slice(line)
      if (openLine === line && !ANNOUNCES.test(rest)) return line + this.#wholeWords(rest, line > 0)
      if (openLine > 0) return openLine
    }
    if (held.length <= MAX_HELD) return 0
    return held.lastIndexOf(' ') + 1 || held.length
  }

  /** How much of a line is whole words. From the back: a regex from the front takes forever over a long word. */
  #wholeWords(line: string, isWholeLine: boolean): number {
    const words = Math.max(line.lastIndexOf(' '), line.lastIndexOf('\t'), line.lastIndexOf('\r')) + 1
    if (line.length - words > MAX_WORD) return line.length
    const beginsLine = isWholeLine || !this.#isMidLine
    return beginsLine && words <= MAX_LINE_OPENING && LINE_OPENING.test(line.slice(0, words)) ? 0 : words
  }

  #release(length: number): string {
    if (length === 0) return ''
    const released = length === this.#held.length ? this.#held : this.#held.slice(0, length)
    this.#held = length === this.#held.length ? '' : this.#held.slice(length)
    const before = this.#isMidLine ? MID_LINE : ''
    this.#isMidLine = !released.endsWith('\n')
    return before ? this.#redact(before + released).slice(before.length) : this.#redact(released)
  }
}

/** Where the line that ends at `line` begins if the next one belongs to it, else `line`. */
function openLineBefore(text: string, line: number): number {
  const start = text.lastIndexOf('\n', line - 2) + 1
  return line - start <= MAX_OPEN_LINE && OPEN_LINE.test(text.slice(start, line)) ? start : line
}
