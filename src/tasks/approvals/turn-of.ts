import type { Question } from '../../codex/index.ts'

/** The turn of the task that a question belongs to, whoever asks it there; empty when codex does not tell. */
export function turnOf({ parent, turnId }: Pick<Question, 'parent' | 'turnId'>): string {
  return parent?.turnId ?? turnId ?? ''
}
