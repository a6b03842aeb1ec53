// What can come next on the command line, read from the commands themselves.
import type { Command, Option } from 'commander'

export interface Candidate {
  readonly value: string
  readonly description: string
}

/** What kind of thing an argument names, as commands declare it: `<task>`, `<approval>`, `<notice>`, `<rule>`, `<worker>`. */
export type Naming = 'task' | 'approval' | 'notice' | 'rule' | 'worker' | 'place'

export interface Completion {
  readonly candidates: readonly Candidate[]
  /** Ids, or names, of these belong here too. */
  readonly ids: Naming | null
}

const NAMINGS: Readonly<Record<string, Naming>> = {
  task: 'task',
  approval: 'approval',
  notice: 'notice',
  worker: 'worker',
}
/** Options that name something. A place is a worker or a label of workers. */
const OPTION_NAMINGS: Readonly<Record<string, Naming>> = { task: 'task', on: 'place' }
const NONE: Completion = { candidates: [], ids: null }

/** `words` are those after the program's name; the last is being typed, and may be empty. */
export function complete(program: Command, words: readonly string[]): Completion {
  const typed = words.at(-1) ?? ''
  // `help` takes commands, as if each was about to be typed.
  if (words[0] === 'help' && words.length > 1) {
    const { candidates } = complete(program, words.slice(1))
    const names = new Set(walk(program, words.slice(1, -1)).command.commands.map((each) => each.name()))
    return { candidates: candidates.filter(({ value }) => names.has(value)), ids: null }
  }
  const { command, given, pending } = walk(program, words.slice(0, -1))
  const all = pending ? ofOption(pending) : typed.startsWith('-') ? options(command) : next(command, given)
  return { ...all, candidates: all.candidates.filter(({ value }) => value.startsWith(typed)) }
}

interface Place {
  readonly command: Command
  /** How many arguments it has been given. */
  readonly given: number
  /** An option that wants its value next. */
  readonly pending: Option | null
}

function walk(program: Command, words: readonly string[]): Place {
  let command = program
  let given = 0
  let pending: Option | null = null
  for (const word of words) {
    if (pending) {
      pending = null
    } else if (word.startsWith('-')) {
      const option = command.options.find(({ short, long }) => word === short || word === long)
      pending = option?.required ? option : null
    } else {
      const inner = given === 0 ? command.commands.find((sub) => namesOf(sub).includes(word)) : undefined
      if (inner) command = inner
      else given++
    }
  }
  return { command, given, pending }
}

function next(command: Command, given: number): Completion {
  if (command.commands.length > 0)
    return { candidates: command.commands.filter(isShown).map(ofCommand), ids: null }
  const argument = command.registeredArguments[Math.min(given, command.registeredArguments.length - 1)]
  if (!argument || (given >= command.registeredArguments.length && !argument.variadic)) return NONE
  const candidates = (argument.argChoices ?? []).map((value) => ({ value, description: '' }))
  const isRuleId = argument.name() === 'rule' && command.name() === 'revoke'
  return { candidates, ids: isRuleId ? 'rule' : (NAMINGS[argument.name()] ?? null) }
}

function options(command: Command): Completion {
  const candidates = command.options
    .filter(({ hidden, long }) => !hidden && long)
    .map(({ long, description }) => ({ value: long!, description }))
  return {
    candidates: [...candidates, { value: '--help', description: 'display help for command' }],
    ids: null,
  }
}

function ofOption(option: Option): Completion {
  const candidates = (option.argChoices ?? []).map((value) => ({ value, description: '' }))
  return { candidates, ids: OPTION_NAMINGS[option.attributeName()] ?? null }
}

function ofCommand(command: Command): Candidate {
  return { value: command.name(), description: command.summary() || command.description() }
}

function isShown(command: Command): boolean {
  return !command.name().startsWith('__')
}

function namesOf(command: Command): string[] {
  return [command.name(), ...command.aliases()]
}
