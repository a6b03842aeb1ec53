// A shell text as the simple commands in it. A text with anything more than simple commands cannot be read.
import { shellWords, type Token, type Word } from './shell-words.ts'

type Connector = '&&' | '||' | ';' | '|' | '\n'

export interface Redirection {
  readonly to: 'read' | 'write'
  readonly path: string
}

export interface SimpleCommand {
  readonly words: readonly string[]
  /** Names of the variables set for this command only. */
  readonly env: readonly string[]
  readonly redirections: readonly Redirection[]
  readonly before: Connector | null
  readonly after: Connector | null
}

export type Script = { readonly commands: readonly SimpleCommand[] } | { readonly unread: string }

const KEYWORDS =
  words(`if then else elif fi for while until do done case esac in function select { } ! [[ ]] coproc
  repeat foreach end nocorrect noglob -`)
/** After one of these the rest of the text no longer means what it shows. */
const MEANING_CHANGERS =
  words(`eval source . exec alias unalias trap enable disable hash set shopt setopt unsetopt emulate
  declare typeset local readonly export unset builtin read mapfile readarray getopts let autoload zmodload bind
  complete compgen pushd popd dirs fc history return exit break continue shift integer float functions vared umask`)
const QUIET_DEVICES = new Set(['/dev/null', '/dev/stdout', '/dev/stderr', '/dev/stdin'])

/** The simple commands of a shell text in their order, or why it cannot be read. Never throws. */
export function shellScript(text: string): Script {
  const read = shellWords(text)
  if ('unread' in read) return read
  const commands: SimpleCommand[] = []
  let before: Connector | null = null
  for (const { tokens, after } of groups(read.tokens)) {
    if (tokens.length === 0) {
      if (after === '\n' || (after === null && !isOpen(before) && commands.length > 0)) continue
      return { unread: after === null ? 'no command at its end' : `nothing before ${after}` }
    }
    const command = simpleCommand(tokens)
    if ('unread' in command) return command
    commands.push({ ...command, before, after })
    before = after
  }
  return commands.length > 0 ? { commands } : { unread: 'no command' }
}

interface Group {
  readonly tokens: readonly Token[]
  readonly after: Connector | null
}

function* groups(tokens: readonly Token[]): Generator<Group> {
  let group: Token[] = []
  for (const token of tokens) {
    if (token.type === 'operator' && isConnector(token.text)) {
      yield { tokens: group, after: token.text }
      group = []
    } else group.push(token)
  }
  yield { tokens: group, after: null }
}

function isConnector(text: string): text is Connector {
  return ['&&', '||', ';', '|', '\n'].includes(text)
}

function isOpen(connector: Connector | null): boolean {
  return connector === '&&' || connector === '||' || connector === '|'
}

function simpleCommand(
  tokens: readonly Token[],
): Omit<SimpleCommand, 'before' | 'after'> | { readonly unread: string } {
  const words: string[] = []
  const env: string[] = []
  const redirections: Redirection[] = []
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index]!
    if (token.type === 'operator') {
      const redirection = redirect(token.text, tokens[++index])
      if (typeof redirection === 'string') return { unread: redirection }
      if (redirection) redirections.push(redirection)
    } else if (words.length === 0 && isAssignment(token))
      env.push(token.text.slice(0, token.text.indexOf('=')))
    else words.push(token.text)
  }
  const problem = whyNotSimple(words[0])
  return problem === null ? { words, env, redirections } : { unread: problem }
}

function isAssignment({ text, bareLength }: Word): boolean {
  const name = /^[A-Za-z_][A-Za-z0-9_]*=/.exec(text)
  return name !== null && bareLength >= name[0].length
}

/** A redirection, null for one that touches no file, or why it cannot be read. */
function redirect(operator: string, target: Token | undefined): Redirection | null | string {
  if (target?.type !== 'word' || target.text === '') return `${operator} without a file`
  if (operator.endsWith('>&')) return /^[12]$/.test(target.text) ? null : `${operator}${target.text}`
  if (QUIET_DEVICES.has(target.text)) return null
  if (target.text.startsWith('/dev/')) return `the device ${target.text}`
  if (/^[!&|-]/.test(target.text)) return `${operator}${target.text}`
  return { to: operator.endsWith('<') ? 'read' : 'write', path: target.text }
}

/** Why a program's name is no plain program, or null. */
export function whyNotSimple(program: string | undefined): string | null {
  if (program === undefined) return 'an assignment or redirection without a command'
  if (KEYWORDS.has(program)) return `the shell keyword ${program}`
  if (MEANING_CHANGERS.has(program)) return `${program}, which changes what the rest means`
  if (/^[A-Za-z_][A-Za-z0-9_]*\+=/.test(program)) return 'an assignment with +='
  return null
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/))
}
