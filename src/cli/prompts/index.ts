// How a person is asked in a terminal, and how a question and its answer read.
export {
  answerCommand,
  howToAnswer,
  needsValues,
  shellWord,
  valueOption,
  wantedFields,
} from './answer-command.ts'
export { makeApprover } from './approver.ts'
export { type Asking, askKey } from './ask-key.ts'
export { choiceEffect } from './choice-effect.ts'
export { answerVerb, decisionText, isDenied } from './decision-text.ts'
export type { Field } from './field.ts'
export { isMeant } from './is-meant.ts'
export { Keyboard } from './keyboard.ts'
export { Person } from './person.ts'
export { personAt } from './person-at.ts'
export { schemaFields } from './question-fields.ts'
export { questionLines } from './question-lines.ts'
export { readSecret, typedSecrets } from './read-secret.ts'
export { tooLateText } from './too-late.ts'
export { canType, typedLine } from './typed-line.ts'
