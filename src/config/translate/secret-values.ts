// Whether a literal value in a configuration is a secret: by the name beside it, by what it looks like, and, since a
// wrong no would copy it, by its randomness alone.
import { redact, redactValue } from '../../codex/index.ts'
import { isDangerousVariable } from './dangerous-variables.ts'

/** A random value in an argument is a secret only from this length on: image tags and versions are random, too. */
const MIN_RANDOM_ARGUMENT = 20
/** Shorter words are ordinary ones. */
const MIN_PART = 8
/** Names that tell only by themselves: as a part of others they say nothing. */
const TELLING = /^(?:pat|key|token|secret)$|[_-]pat$/i
/** Not `1000:1000`, which is a user and a group. */
const USER_AND_PASSWORD = /^(?!\d+:\d+$)[^\s:/@]+:[^\s/]+$/
/** After `-p`, which more often is a port, a package or a path. */
const SHORT_PASSWORD = /^(?=.*[A-Za-z])(?=.*\d)[^\s/@:.]{6,}$/
const MASK = '***'
/** What makes more than one word of a text, or a command. */
const BEYOND_A_WORD = /[\s;|&`$<>()]/
const FLAG = /^--?([A-Za-z][\w-]*)(?:=([\s\S]*))?$/

/** Of a variable or a header. */
export function isSecretNamed(name: string, value: string): boolean {
  if (/authorization|cookie/i.test(name) && value !== '') return true
  return isTold(name, value) || hides('token', value) || redact(value) !== value
}

/** Which of the arguments hold a secret, by position. */
export function secretArguments(args: readonly string[]): number[] {
  return args.flatMap((arg, index) => (isSecretArgument(arg, args[index - 1]) ? [index] : []))
}

function isSecretArgument(arg: string, before: string | undefined): boolean {
  const [, flag, value] = FLAG.exec(arg) ?? []
  if (flag !== undefined && value !== undefined && isSecretNamed(flag, value)) return true
  return redact(arg) !== arg || isToldByFlag(arg, before) || isRandomWord(arg)
}

function isToldByFlag(arg: string, before: string | undefined): boolean {
  const [, flag, ofItsOwn] = FLAG.exec(before ?? '') ?? []
  if (flag === undefined || ofItsOwn !== undefined) return false
  if (flag === 'p') return SHORT_PASSWORD.test(arg)
  return isTold(flag, arg) || (/^u(?:ser)?$/.test(flag) && USER_AND_PASSWORD.test(arg))
}

/** With only the secrets in them hidden: what is left says what runs. */
export function shownArguments(args: readonly string[]): string[] {
  const secret = new Set(secretArguments(args))
  return args.map((arg, index) => (secret.has(index) ? shownArgument(arg, args[index - 1]) : arg))
}

function shownArgument(arg: string, before: string | undefined): string {
  const [, flag, value] = FLAG.exec(arg) ?? []
  if (flag !== undefined && value !== undefined && isSecretNamed(flag, value))
    return `${arg.slice(0, arg.length - value.length)}${isTold(flag, value) ? MASK : spansHidden(value)}`
  return isToldByFlag(arg, before) ? MASK : spansHidden(arg)
}

/** Whole where no part of it has the form of a secret. */
function spansHidden(secret: string): string {
  const shown = redact(secret)
  return shown === secret ? MASK : shown
}

/** Whether what is hidden of a text could be a command: nobody could say yes to that. */
export function hidesMoreThanAWord(text: string, shown: string): boolean {
  const most = Math.min(text.length, shown.length)
  let top = 0
  while (top < most && text[top] === shown[top]) top++
  let bottom = 0
  while (bottom < most - top && text.at(-1 - bottom) === shown.at(-1 - bottom)) bottom++
  return BEYOND_A_WORD.test(text.slice(top, text.length - bottom))
}

/** Of a variable or a header. Of one that decides what runs only what has the form of a secret. */
export function shownValue(name: string, value: string): string {
  if (isDangerousVariable(name)) return redact(value)
  return isSecretNamed(name, value) ? MASK : value
}

export function isSecretUrl(url: string): boolean {
  return shownUrl(url) !== url
}

/** With only the secrets in it hidden. Addresses of hosted servers often have the key as a part of the path. */
export function shownUrl(url: string): string {
  const [, host, rest] = /^([a-z]+:\/\/[^/?#]*)?([\s\S]*)$/i.exec(redact(url))!
  const shown = rest!
    .replace(/([?&#])([^=&#]+)=([^&#]*)/g, (whole, sign, name, value) =>
      isTold(name, value) ? `${sign}${name}=${MASK}` : whole,
    )
    .split(/([/?&=#])/)
    .map((word) => (isRandomWord(word) ? MASK : word))
  return `${host ?? ''}${shown.join('')}`
}

/** Without values that were filled in: those have been asked for by themselves. */
export function withoutFilledIn(text: string, filledIn: readonly string[]): string {
  return filledIn.reduce((rest, value) => rest.replaceAll(value, MASK), text)
}

/** Words of a text with a secret in it that may stand elsewhere by themselves: `--api-key=x`, `Bearer x`, `https://h/x`. */
export function secretParts(text: string): string[] {
  return text
    .split(/[/?&=#@:\s]+/)
    .filter((word) => word.length >= MIN_PART && !/^-/.test(word) && /\d/.test(word))
}

/** By the name beside it alone, whatever the value looks like. */
function isTold(name: string, value: string): boolean {
  const names = TELLING.test(name) ? [name, 'api_key'] : [name]
  if (names.some((each) => redactValue({ [each]: value })[each] !== redact(value))) return true
  return /(?:^|[_-])auth$/i.test(name) && USER_AND_PASSWORD.test(value)
}

function isRandomWord(word: string): boolean {
  return word.length >= MIN_RANDOM_ARGUMENT && hides('token', word)
}

function hides(name: string, value: string): boolean {
  return redactValue({ [name]: value })[name] !== value
}
