// Whether a literal value in a configuration is a secret: by the name beside it, by what it looks like, and, since a
// wrong no would copy it, by its randomness alone.
import { redact, redactValue } from '../../codex/index.ts'

/** A random value in an argument is a secret only from this length on: image tags and versions are random, too. */
const MIN_RANDOM_ARGUMENT = 20
/** Shorter words are ordinary ones. */
const MIN_PART = 8
const FLAG = /^--?([A-Za-z][\w-]*)(?:=([\s\S]*))?$/

/** Of a variable or a header. */
export function isSecretNamed(name: string, value: string): boolean {
  if (/authorization|cookie/i.test(name) && value !== '') return true
  return hides(name, value) || hides('token', value) || redact(value) !== value
}

/** Which of the arguments hold a secret, by position. */
export function secretArguments(args: readonly string[]): number[] {
  return args.flatMap((arg, index) => (isSecretArgument(arg, args[index - 1]) ? [index] : []))
}

function isSecretArgument(arg: string, before: string | undefined): boolean {
  const [, flag, value] = FLAG.exec(arg) ?? []
  if (flag !== undefined && value !== undefined && isSecretNamed(flag, value)) return true
  if (redact(arg) !== arg) return true
  const [, flagBefore, ofItsOwn] = FLAG.exec(before ?? '') ?? []
  if (flagBefore !== undefined && ofItsOwn === undefined && hides(flagBefore, arg)) return true
  return arg.length >= MIN_RANDOM_ARGUMENT && hides('token', arg)
}

export function isSecretUrl(url: string): boolean {
  return (
    redact(url) !== url ||
    urlWords(url).some((word) => word.length >= MIN_RANDOM_ARGUMENT && hides('token', word))
  )
}

/** Addresses of hosted servers often have the key as a part of the path. */
function urlWords(url: string): string[] {
  return url.replace(/^[a-z]+:\/\/[^/]*/i, '').split(/[/?&=#]/)
}

/** Words of a text with a secret in it that may stand elsewhere by themselves: `--api-key=x`, `Bearer x`, `https://h/x`. */
export function secretParts(text: string): string[] {
  return text
    .split(/[/?&=#@:\s]+/)
    .filter((word) => word.length >= MIN_PART && !/^-/.test(word) && /\d/.test(word))
}

function hides(name: string, value: string): boolean {
  return redactValue({ [name]: value })[name] !== value
}
