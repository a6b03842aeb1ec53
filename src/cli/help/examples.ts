import type { Command } from 'commander'
import { asTyped } from '../process/index.ts'

/** A line that works as it stands, alone or with a word on what it does. */
export type Example = string | readonly [line: string, what: string]

/** What every `--help` ends with: lines to copy, then what else is to be known. */
export function addExamples(command: Command, examples: readonly Example[], more = ''): Command {
  return command.addHelpText('after', () =>
    asTyped(`\nExamples:\n${exampleLines(examples).join('\n')}${more && `\n${more}`}`),
  )
}

/** With the explanations in one column. */
function exampleLines(examples: readonly Example[]): string[] {
  const width = Math.max(...examples.map((example) => (typeof example === 'string' ? 0 : example[0].length)))
  return examples.map((example) =>
    typeof example === 'string' ? `  ${example}` : `  ${example[0].padEnd(width)}   ${example[1]}`,
  )
}
