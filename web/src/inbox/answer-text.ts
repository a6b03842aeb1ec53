import type { Approval, Question, Word } from '../api/contract.ts'
import { readParts } from './use-grant.ts'

type Kind = Question['kind']

const WORD_TEXT: Readonly<Record<Word, string>> = {
  once: 'Allow once',
  session: 'Allow for this task',
  always: 'Always allow…',
  deny: 'Deny',
  cancel: 'Deny and stop',
}

/** What the button of an answer says: with permissions, for how long they are given. */
export function wordText(word: Word, question: Question): string {
  if (question.kind === 'permissions' && word === 'once') return 'Allow for this turn'
  if (question.kind === 'elicitation' && word === 'once')
    return question.url === null ? 'Yes' : 'I visited it'
  return WORD_TEXT[word] ?? word
}

const GIVEN: Readonly<Record<Word, string>> = {
  once: 'Allowed once',
  session: 'Allowed for this task',
  always: 'Allowed, with a standing rule',
  deny: 'Denied',
  cancel: 'Denied, and the turn stopped',
}

/** What was answered: the word, or the values that were given. */
export function answerText(answer: unknown, kind: Kind | string | null): string {
  if (typeof answer === 'string') return wordGiven(answer as Word, kind)
  if (typeof answer !== 'object' || answer === null) return 'Answered'
  if ('permissions' in answer) return grantText(answer)
  const values = 'answers' in answer ? answer.answers : 'content' in answer ? answer.content : null
  const told = Object.entries(Object(values)).map(([name, value]) => `${name}: ${valueText(value)}`)
  return told.length === 0 ? 'Answered' : `Answered “${told.join(', ')}”`
}

/** codex lets the turn go on when a tool or a question of an MCP server is cancelled. */
function wordGiven(word: Word, kind: Kind | string | null): string {
  const isOfServer = kind === 'elicitation' || kind === 'mcp-tool'
  if (isOfServer && word === 'cancel') return GIVEN.deny
  if (kind === 'elicitation' && word === 'once') return 'Answered yes'
  if (kind === 'permissions' && word === 'once') return 'Allowed for this turn'
  return GIVEN[word] ?? word
}

function grantText(answer: { readonly permissions: unknown; readonly scope?: unknown }): string {
  const parts = readParts(answer.permissions).filter(({ access }) => access !== 'deny')
  if (parts.length === 0) return GIVEN.deny
  const many = parts.length === 1 ? '1 permission' : `${parts.length} permissions`
  const names = parts.length <= 3 ? parts.map(({ label }) => label).join(', ') : many
  return `Allowed for this ${answer.scope === 'session' ? 'task' : 'turn'} (${names})`
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueText).join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

export function isYes(answer: unknown): boolean {
  if (answer === 'deny' || answer === 'cancel') return false
  const isGrant = typeof answer === 'object' && answer !== null && 'permissions' in answer
  return !isGrant || grantText(answer) !== GIVEN.deny
}

/** Who answered, as far as it is known. */
export function answeredBy({ by, actor, rule }: Pick<Approval, 'by' | 'actor' | 'rule'>): string {
  if (by === 'rule') return rule ? `by the rule “${rule}”` : 'by a rule'
  if (by === 'default') return 'because nobody answered'
  return actor ? `by ${actor}` : 'by someone'
}

export const KIND_TEXT: Readonly<Record<Kind, string>> = {
  command: 'Run a command',
  'file-change': 'Change files',
  permissions: 'Codex asks for more permissions',
  'mcp-tool': 'Use a tool',
  elicitation: 'A tool asks',
  'user-input': 'Codex asks you',
}
