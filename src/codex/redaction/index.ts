// The one door secrets do not pass: whatever is stored, shown, logged or sent goes through here first.
import { createRedactor, type Redactor } from './redactor.ts'

export { registerSecrets } from './known-secrets.ts'
export { RedactingStream } from './redacting-stream.ts'
export { createRedactor, type Redactor, type RedactorOptions } from './redactor.ts'

/** What everything that says nothing else is redacted by. */
export const redactor: Redactor = createRedactor()
export const { redact, redactValue, redactJsonLine } = redactor
