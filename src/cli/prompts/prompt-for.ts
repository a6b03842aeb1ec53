import type { Question } from '../../codex/index.ts'
import { ChoicePrompt } from './choice-prompt.ts'
import { FormPrompt } from './form-prompt.ts'
import { PermissionsPrompt } from './permissions-prompt.ts'
import type { Prompt } from './prompt.ts'
import { schemaFields, userInputFields } from './question-fields.ts'

/** How this question is put to a person: as keys to press, or as fields to fill in. */
export function promptFor(question: Question): Prompt {
  if (question.kind === 'user-input' && question.questions.length > 0)
    return new FormPrompt({ question, fields: userInputFields(question), answer: answers })
  if (question.kind === 'permissions') return new PermissionsPrompt(question)
  if (question.kind !== 'elicitation') return new ChoicePrompt(question)
  const fields = schemaFields(question)
  if (fields.length === 0) return new ChoicePrompt(question)
  return new FormPrompt({ question, fields, answer: (values) => ({ content: Object.fromEntries(values) }) })
}

/** Questions that were skipped have no answer; nothing answered at all is a no. */
function answers(values: ReadonlyMap<string, unknown>) {
  if (values.size === 0) return 'deny'
  return { answers: Object.fromEntries([...values].map(([id, value]) => [id, [String(value)]])) }
}
