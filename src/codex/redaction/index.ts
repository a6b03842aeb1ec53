// The one door secrets do not pass: whatever is stored, shown, logged or sent goes through here first.
import { createRedactor } from './redactor.ts'

export { RedactingStream } from './redacting-stream.ts'
export { createRedactor, type Redactor, type RedactorOptions } from './redactor.ts'
export const { redact, redactValue, redactJsonLine } = createRedactor()
