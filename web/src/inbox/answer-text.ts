import type { Approval, Word } from '../api/contract.ts'

export const WORD_TEXT: Readonly<Record<Word, string>> = {
  once: 'Allow once',
  session: 'Allow for this thread',
  always: 'Always allow…',
  deny: 'Deny',
  cancel: 'Deny and stop',
}

const GIVEN: Readonly<Record<Word, string>> = {
  once: 'Allowed once',
  session: 'Allowed for this thread',
  always: 'Allowed, with a standing rule',
  deny: 'Denied',
  cancel: 'Denied, and the turn stopped',
}

/** What was answered, in two or three words. */
export function answerText(answer: unknown): string {
  if (typeof answer === 'string') return GIVEN[answer as Word] ?? answer
  if (typeof answer === 'object' && answer !== null) {
    if ('answers' in answer || 'content' in answer) return 'Answered'
    if ('permissions' in answer) return 'Allowed in part'
  }
  return 'Answered'
}

export function isYes(answer: unknown): boolean {
  return answer !== 'deny' && answer !== 'cancel'
}

/** Who answered, as far as it is known. */
export function answeredBy({ by, actor, rule }: Pick<Approval, 'by' | 'actor' | 'rule'>): string {
  if (by === 'rule') return rule ? `by the rule “${rule}”` : 'by a rule'
  if (by === 'default') return 'because nobody did in time'
  return actor ? `by ${actor}` : 'by somebody'
}

export const KIND_TEXT: Readonly<Record<Approval['kind'], string>> = {
  command: 'Run a command',
  'file-change': 'Change files',
  permissions: 'Be allowed more',
  'mcp-tool': 'Use a tool',
  elicitation: 'A tool asks',
  'user-input': 'Codex asks you',
}
