// Conditions on a command that no list of options can say. Rules refer to them by name.
import { isPlainAwk } from './carried-commands.ts'

type Check = (words: readonly string[]) => boolean

const CHECKS = {
  /** `sed -n 10,20p file`, and nothing that edits, writes or runs. */
  'sed-prints-lines': ([, quiet, program = '', ...files]) =>
    quiet === '-n' && /^(?:\d+|\$)?(?:,(?:\d+|\$))?p$/.test(program) && noneIsOption(files),
  'awk-prints-fields': isPlainAwk,
  'date-prints': ([, ...words]) => words.every((word) => word.startsWith('-') || word.startsWith('+')),
  'jq-without-environment': (words) =>
    !words.some((word) => /env|input_filename|get_search_list/i.test(word)),
  /** bash and zsh run what stands in an index, for `-v` or where they expect a number. */
  'test-without-indexes': ([, ...words]) =>
    words.every((word) => word === ']' || !/^-[vR]$|[$`[\]()]/.test(word)),
  /** `%n` sets a variable, and zsh runs an index where it expects a number. */
  'printf-of-text': ([, format = '']) => /^(?:[^%]|%%|%-?[0-9]*s)*$/.test(format),
  'uses-recursion': (words) => isRecursive(words),
  'uses-no-recursion': (words) => !isRecursive(words),

  'kills-everything': (words) => words.some((word, index) => index > 0 && /^(?:-?1|0|-0)$/.test(word)),
} satisfies Record<string, Check>

function isRecursive(words: readonly string[]): boolean {
  return words.some((word) => /^-[^-]*[rRd]|^--(?:rec|der|dir)|^recurse$/.test(word))
}

function noneIsOption(words: readonly string[]): boolean {
  return words.every((word) => !word.startsWith('-'))
}

export type CheckName = keyof typeof CHECKS

export function isCheck(name: string): name is CheckName {
  return Object.hasOwn(CHECKS, name)
}

export function passesCheck(name: string, words: readonly string[]): boolean {
  return isCheck(name) && CHECKS[name](words)
}
