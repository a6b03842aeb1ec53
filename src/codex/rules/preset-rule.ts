// How the presets write their rules down.
import type { Answer, CommandMatch, RuleOf } from './rule.ts'

export type CommandLine =
  | string
  | readonly [words: string, match: Omit<CommandMatch, 'argvPrefix' | 'command'>]

interface CommandRules {
  readonly preset: string
  readonly answer: Answer
  /** Conditions all of them share. */
  readonly match?: Omit<CommandMatch, 'argvPrefix' | 'command'>
}

/** One rule for each line. Words are parted by blanks; a line that ends in `.` names the whole command. */
export function commandRules({ preset, answer, match }: CommandRules, lines: readonly CommandLine[]) {
  return lines.map((line): RuleOf<'command'> => {
    const [text, own] = typeof line === 'string' ? [line, {}] : line
    const isWhole = text.endsWith(' .')
    const words = text.split(' ').slice(0, isWhole ? -1 : undefined)
    const named = isWhole ? { command: words } : { argvPrefix: words }
    return { id: `${preset}: ${text}`, answer, kind: 'command', match: { ...named, ...match, ...own } }
  })
}

export function pathRule(
  preset: string,
  answer: Answer,
  paths: readonly string[],
  note?: string,
): RuleOf<'path'> {
  const base = { id: `${preset}: ${note ?? paths[0]}`, answer, kind: 'path', match: { paths } } as const
  return note === undefined ? base : { ...base, note }
}
