// One permission rule of another application, as an answer to commands or MCP tools; or why it means nothing exact here.
import { quotedWords } from '../../util/command-text.ts'

export type RuleAnswer = 'allow' | 'deny' | 'ask'

export type PermissionRule = {
  readonly answer: RuleAnswer
  /** As it is written there. */
  readonly text: string
  readonly file: string
  readonly label: string
  /** From a file of a project, which holds for that project alone. */
  readonly isOfProject: boolean
} & RuleMeaning

export type RuleMeaning =
  /** Commands that begin with these words; with no words, every command. */
  | { readonly kind: 'prefix'; readonly words: readonly string[] }
  /** This command and no other words. */
  | { readonly kind: 'exact'; readonly words: readonly string[] }
  /** `*` for every tool of the server. */
  | { readonly kind: 'mcp'; readonly server: string; readonly tool: string }
  | { readonly kind: 'unknown'; readonly why: string }

const unknown = (why: string): RuleMeaning => ({ kind: 'unknown', why })

/** `Bash(git diff:*)`, `Bash(npm test)`, `mcp__github__get_issue`. */
export function claudeMeaning(text: string): RuleMeaning {
  if (text === 'Bash' || text === 'Bash(*)') return { kind: 'prefix', words: [] }
  const command = /^Bash\(([\s\S]+)\)$/.exec(text)?.[1]
  if (command !== undefined) return commandMeaning(command)
  const [, server, tool] = /^mcp__([A-Za-z0-9_-]+?)(?:__([A-Za-z0-9_*-]+))?$/.exec(text) ?? []
  if (server === undefined) return unknown('only rules about Bash and MCP tools have a counterpart')
  if (tool?.replace(/\*$/, '').includes('*')) return unknown('has a pattern in the middle')
  return { kind: 'mcp', server, tool: tool ?? '*' }
}

/** `:*` and ` *` at the end both mean: these words, then anything or nothing. */
function commandMeaning(command: string): RuleMeaning {
  const prefix = /^([\s\S]+?)(?::\*| \*)$/.exec(command)?.[1]
  const written = prefix ?? command
  if (written.includes('*')) return unknown('has a pattern in the middle')
  const words = quotedWords(written)
  if (words === null || words.length === 0) return unknown('is more than plain words to a shell')
  if (words.some((word) => !/^[\x20-\x7e]+$/.test(word))) return unknown('has characters that are not plain')
  if (/^[A-Za-z_]\w*=/.test(words[0]!)) return unknown('sets variables before the command')
  return prefix === undefined ? { kind: 'exact', words } : { kind: 'prefix', words }
}

/** `Shell(git)`: the program, with any arguments. */
export function cursorMeaning(text: string): RuleMeaning {
  const command = /^Shell\(([\s\S]+)\)$/.exec(text)?.[1]
  if (command === undefined) return unknown('only rules about Shell have a counterpart')
  if (command === '*') return { kind: 'prefix', words: [] }
  if (!/^[\w./+-]+$/.test(command)) return unknown('is more than the name of a program')
  return { kind: 'prefix', words: [command] }
}

/** How the commands or tools begin that a rule is about; null for a rule about something else. */
function beginningOf(rule: PermissionRule): string | null {
  if (rule.kind === 'mcp') return `mcp__${rule.server}__${rule.tool.replace(/\*$/, '')}`
  if (rule.kind !== 'unknown') return `command ${rule.words.map((word) => `${word} `).join('')}`
  if (rule.text.startsWith('mcp__')) return rule.text.split('*', 1)[0]!
  const command = /^(?:Bash|Shell)\(\s*([\w ./+=@,-]*)/.exec(rule.text)?.[1]
  return command === undefined ? null : `command ${command}`
}

/** Whether both can be about the same command or tool. Says yes where it cannot be told. */
export function canOverlap(one: PermissionRule, other: PermissionRule): boolean {
  const [a, b] = [beginningOf(one), beginningOf(other)]
  return a !== null && b !== null && (a.startsWith(b) || b.startsWith(a))
}
