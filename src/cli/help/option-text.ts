// How `--help` describes options and arguments: what may be given, and what holds when nothing is, each once.
import type { Argument, Option } from 'commander'

type Described = Pick<
  Option | Argument,
  'description' | 'argChoices' | 'defaultValue' | 'defaultValueDescription'
>

/** For commander's `configureHelp`. */
export const OPTION_TEXT = {
  optionDescription: (option: Option) => describe(option),
  argumentDescription: (argument: Argument) => describe(argument),
}

function describe({ description, argChoices, defaultValue, defaultValueDescription }: Described): string {
  const [, text, told] = /^(.*?)(?: \(default: (.*)\))?$/s.exec(description)!
  const usual = told ?? defaultValueDescription ?? defaultText(defaultValue)
  const facts = [
    ...(argChoices ? [`one of ${argChoices.join(', ')}`] : []),
    ...(usual === null ? [] : [`default: ${usual}`]),
  ]
  return facts.length > 0 ? `${text} (${facts.join('; ')})` : text!
}

/** null where there is nothing to tell: a list that begins empty, a flag that is off. */
function defaultText(value: unknown): string | null {
  if (value === undefined || typeof value === 'boolean') return null
  return Array.isArray(value) ? value.join(', ') || null : String(value)
}
