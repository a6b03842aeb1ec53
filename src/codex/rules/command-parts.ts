// A command that codex asks for, as the commands that would run: shells opened, `cd` followed, wrappers seen through.
import type { AskedCommand } from './asked.ts'
import { type Carried, carriedCommand, readsCommandsFromInput } from './carried-commands.ts'
import type { Places } from './places.ts'
import { unseenCharacter } from './plain-text.ts'
import { type Redirection, type SimpleCommand, shellScript, whyNotSimple } from './shell-script.ts'
import { baseName, unwrap } from './wrappers.ts'

export interface CommandPart {
  readonly words: readonly string[]
  readonly env: readonly string[]
  /** Null when it depends on how the commands before it end. */
  readonly cwd: string | null
  readonly redirections: readonly Redirection[]
  /** The command it wraps: `git status` in `timeout 5 git status`. */
  readonly inner: readonly CommandPart[]
  readonly carried: Carried | null
  /** Why no rule can allow it, or null. */
  readonly unread: string | null
}

export type CommandParts = { readonly parts: readonly CommandPart[] } | { readonly unread: string }

interface Context {
  readonly cwd: string | null
  readonly env: readonly string[]
  readonly depth: number
  readonly places: Places
}

const MAX_DEPTH = 5
const MAX_WORDS = 2000
const SHELL = /^(?:(?:\/usr|\/usr\/local|\/opt\/homebrew)?\/bin\/)?(?:ba|da|z)?sh$/
const RUN_TEXT = /^-l?c$|^-cl$/

/** What would run, part by part, or why that cannot be told. Never throws. */
export function commandParts(asked: AskedCommand, places: Places): CommandParts {
  const context = { cwd: asked.cwd, env: [], depth: 0, places }
  const parts = asked.argv ? partsOfWords(asked.argv, context) : partsOfText(asked.command ?? '', context)
  if ('unread' in parts) return parts
  const count = parts.parts.reduce((sum, { words }) => sum + words.length, 0)
  return count > MAX_WORDS ? { unread: `more than ${MAX_WORDS} words` } : parts
}

function partsOfWords(words: readonly string[], context: Context): CommandParts {
  if (words.length === 0) return { unread: 'no command' }
  const unseen = words.map(unseenCharacter).find((character) => character !== null)
  if (unseen !== undefined) return { unread: `the character ${unseen}, which cannot be seen` }
  return partsOfCommand({ words, env: [], redirections: [] }, context)
}

function partsOfText(text: string, context: Context): CommandParts {
  const script = shellScript(text)
  if ('unread' in script) return script
  const parts: CommandPart[] = []
  let cwd = context.cwd
  let hasMoved = false
  for (const command of script.commands) {
    if (hasMoved && command.before !== '&&' && command.before !== '|') cwd = null
    const read = partsOfCommand(command, { ...context, cwd })
    if ('unread' in read) return read
    parts.push(...read.parts)
    if (!read.parts.some(moves)) continue
    hasMoved = true
    cwd = command.words[0] === 'cd' ? cwdAfter(command, cwd, context.places) : null
  }
  return { parts }
}

/** `cd`, also as `command cd` or `time cd`. */
function moves(part: CommandPart): boolean {
  return part.words[0] === 'cd' || part.inner.some(moves)
}

function cwdAfter(command: SimpleCommand, cwd: string | null, places: Places): string | null {
  const [, target = '', ...more] = command.words
  const isCertain =
    more.length === 0 && command.after === '&&' && command.before !== '|' && command.before !== '||'
  return isCertain ? places.afterCd(target, cwd) : null
}

type Bare = Pick<SimpleCommand, 'words' | 'env' | 'redirections'>

function partsOfCommand(command: Bare, context: Context): CommandParts {
  if (context.depth > MAX_DEPTH) return { unread: 'commands inside commands inside commands' }
  const env = [...context.env, ...command.env]
  const text = shellText(command.words)
  if (text === null) return { parts: [wordsPart(command, { ...context, env })] }
  const read = partsOfText(text, { ...context, env, depth: context.depth + 1 })
  if ('unread' in read) return read
  const [first, ...rest] = read.parts
  const redirections = [...command.redirections, ...first!.redirections]
  return { parts: [{ ...first!, redirections }, ...rest] }
}

/** The text that `bash -lc text` runs, or null. More words would become its `$0`, `$1` … */
function shellText(words: readonly string[]): string | null {
  const [program = '', ...rest] = words
  if (/^(?:\/usr\/bin\/)?env$/.test(program) && SHELL.test(rest[0] ?? '')) return shellText(rest)
  const at = words[1] === '-l' ? 2 : 1
  if (!SHELL.test(program) || words.length !== at + 2) return null
  return RUN_TEXT.test(words[at]!) ? words[at + 1]! : null
}

function wordsPart(
  { words, redirections }: Pick<Bare, 'words' | 'redirections'>,
  context: Context,
): CommandPart {
  const { cwd, env } = context
  const part = { words, env, cwd, redirections, inner: [], carried: carriedCommand(words), unread: null }
  if (!/^(?:[A-Za-z0-9_./+@:][A-Za-z0-9_./+@:-]*|\[)$/.test(words[0]!))
    return { ...part, unread: 'a program with an unusual name' }
  const problem = whyNotSimple(words[0]) ?? (cwd === null ? 'the folder it would run in is not known' : null)
  if (problem !== null) return { ...part, unread: problem }
  if (readsCommandsFromInput(words))
    return { ...part, unread: `${baseName(words[0]!)} takes commands from where they cannot be read` }
  const wrapped = unwrap(words)
  if ('unread' in wrapped) return { ...part, unread: wrapped.unread }
  const inner = wrapped.inner ?? commandOfFind(words)
  if (!inner) return part
  const read = partsOfCommand(
    { words: inner, env: 'env' in wrapped ? wrapped.env : [], redirections: [] },
    { ...context, depth: context.depth + 1 },
  )
  if ('unread' in read) return { ...part, unread: read.unread }
  const addsWords = 'addsWords' in wrapped && wrapped.addsWords
  const unread = addsWords ? `${words[0]} adds words that are not shown` : null
  return {
    ...part,
    inner: read.parts,
    unread: unread ?? read.parts.find((one) => one.unread)?.unread ?? null,
  }
}

function commandOfFind(words: readonly string[]): readonly string[] | null {
  if (!/^(?:find|fd)$/.test(baseName(words[0]!))) return null
  const at = words.findIndex((word) => /^-(?:exec|execdir|ok|okdir|x|X|-exec|-exec-batch)$/.test(word))
  if (at < 0) return null
  const end = words.findIndex((word, index) => index > at && /^[;+]$/.test(word))
  const inner = words.slice(at + 1, end < 0 ? words.length : end)
  return inner.length > 0 && inner[0] !== '' ? inner : null
}
