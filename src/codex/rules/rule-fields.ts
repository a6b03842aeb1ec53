// Every field of a rule's match, with what may stand in it: read by the JSON form and by the text form alike.
import { changesWhatRuns } from './env-names.ts'
import { whyNotGlob } from './glob.ts'
import { isPlainLine } from './plain-text.ts'
import type { RuleKind } from './rule.ts'

export interface Field {
  readonly name: string
  /** Its name in the text form; a list repeats it. */
  readonly key: string
  readonly holds: 'text' | 'list' | 'flag'
  /** What is wrong with one value, or null. */
  readonly problem: (value: string) => string | null
}

const MAX_LENGTH = 1000

const anyLine = (value: string) =>
  isPlainLine(value) && value.length <= MAX_LENGTH ? null : 'is not one plain line'
const line = (value: string) => (value === '' ? 'is empty' : anyLine(value))
const glob = (value: string) => line(value) ?? whyNotGlob(value)
const option = (value: string) =>
  /^-{1,2}[A-Za-z0-9#][A-Za-z0-9-]*=?$|^[a-z]+$/.test(value) ? null : 'is not an option'
const name = (value: string) => (/^[A-Za-z0-9_*?-]+$/.test(value) ? null : 'is not a name')
const operands = (value: string) =>
  /^(?:none|inside|outside)$/.test(value) ? null : 'is not none, inside or outside'
const host = (value: string) =>
  /^(?:\*|(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|[0-9a-f:[\]]+)$/i.test(value) ? null : 'is not a host'

function variable(value: string): string | null {
  if (value === '*') return null
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(value)) return 'is not a variable'
  return changesWhatRuns(value) ? 'can change what runs: no rule accepts it' : null
}

const CONDITIONS: readonly Field[] = [
  { name: 'cwd', key: 'cwd', holds: 'text', problem: glob },
  { name: 'labels', key: 'label', holds: 'list', problem: line },
  { name: 'thread', key: 'thread', holds: 'text', problem: line },
]

/** Conditions come first, in this order; what the kind is about stands in `SUBJECTS`. */
export const FIELDS: Readonly<Record<RuleKind, readonly Field[]>> = {
  command: [
    ...CONDITIONS,
    { name: 'env', key: 'env', holds: 'list', problem: variable },
    { name: 'options', key: 'option', holds: 'list', problem: option },
    { name: 'anyOption', key: 'any-option', holds: 'list', problem: option },
    { name: 'anyWord', key: 'any-word', holds: 'list', problem: line },
    { name: 'paths', key: 'path', holds: 'list', problem: glob },
    { name: 'operands', key: 'operands', holds: 'text', problem: operands },
    { name: 'isSandboxed', key: 'sandboxed', holds: 'flag', problem: line },
  ],
  path: [...CONDITIONS, { name: 'isWriting', key: 'writing', holds: 'flag', problem: line }],
  mcp: [...CONDITIONS, { name: 'isReadOnly', key: 'read-only', holds: 'flag', problem: line }],
  host: CONDITIONS,
  network: CONDITIONS,
  elicitation: CONDITIONS,
  input: CONDITIONS,
}

const words: Field = { name: 'argvPrefix', key: 'command', holds: 'list', problem: anyLine }

/** What a rule of each kind must say. For a command: one of the two. */
export const SUBJECTS: Readonly<Record<RuleKind, readonly Field[]>> = {
  command: [words, { ...words, name: 'command', key: 'exact' }],
  path: [{ name: 'paths', key: 'path', holds: 'list', problem: glob }],
  mcp: [
    { name: 'server', key: 'server', holds: 'text', problem: name },
    {
      name: 'tool',
      key: 'tool',
      holds: 'text',
      problem: (value) => (/\s/.test(value) ? 'has a blank' : line(value)),
    },
  ],
  host: [{ name: 'host', key: 'host', holds: 'text', problem: host }],
  network: [],
  elicitation: [{ name: 'server', key: 'server', holds: 'text', problem: name }],
  input: [],
}
