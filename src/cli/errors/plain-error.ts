// How an error ends a command: one line that says what to do, and an exit code. A mistake of ours keeps its trace.
import { DrawbridgeError, redact } from '../../codex/index.ts'
import { LinkedFileError } from '../../util/open-own-file.ts'
import { asTyped, EXIT, errorText, isUnsuitable, loginAdvice, UsageError } from '../process/index.ts'
import { systemErrorText } from './system-error.ts'

export interface PlainError {
  readonly text: string
  readonly exitCode: number
}

export function plainError(error: unknown): PlainError {
  const told = ofOurs(error) ?? systemErrorText(error) ?? ofBug(error)
  return { ...told, text: redact(asTyped(told.text)) }
}

const USAGE = new Set(['bad-request', 'bad-answer', 'bad-settings', 'invalid-request'])

function ofOurs(error: unknown): PlainError | null {
  if (error instanceof LinkedFileError) return { text: error.message, exitCode: EXIT.failed }
  if (!(error instanceof DrawbridgeError)) return null
  const text = `${error.message}${advice(error)}`
  if (error instanceof UsageError || USAGE.has(error.code)) return { text, exitCode: EXIT.usage }
  return { text, exitCode: isUnsuitable(error.code) ? EXIT.unsuitable : EXIT.failed }
}

const ADVICE: Readonly<Record<string, string>> = {
  'database-unreachable': 'check that it runs, and its address in DATABASE_URL or settings.json',
  'database-refused': 'look at the log of the database server, then try again',
  unauthorized: 'the token has changed; try again',
  unreachable: 'it may have been stopped; `drawbridge status` tells',
  'task-not-found': '`drawbridge task list --all` shows those there are',
  'approval-not-found': '`drawbridge approvals` shows those that are open',
  'notice-not-found': '`drawbridge notify list` shows those there are',
  'rule-not-found': '`drawbridge rules list` shows those there are',
  'worker-not-found': '`drawbridge workers` shows those there are',
  'folder-in-use': '--workspace worktree, or --share-folder',
  'workspace-not-found': '`drawbridge workspace list` shows those there are',
}

function advice(error: DrawbridgeError): string {
  const { code } = error
  if (code === 'not-logged-in') return `. ${loginAdvice(homeIn(error))}`
  if (code === 'worker-unreachable') return `. ${unreachableAdvice(error)}`
  return Object.hasOwn(ADVICE, code) ? `: ${ADVICE[code]}` : ''
}

/** The message says whether it was done. */
function unreachableAdvice(error: DrawbridgeError): string {
  const { isDone, taskId } = detailsOf(error)
  const look =
    isDone === false || typeof taskId !== 'string' ? '' : `\`drawbridge task show ${taskId}\` shows it; `
  return `${look}\`drawbridge workers\` shows whether that worker is up`
}

function detailsOf(error: DrawbridgeError): Readonly<Record<string, unknown>> {
  return Object((error as { details?: unknown }).details)
}

/** null: the default one. */
function homeIn(error: DrawbridgeError): string | null {
  const { codexHome } = detailsOf(error)
  return typeof codexHome === 'string' ? codexHome : null
}

function ofBug(error: unknown): PlainError {
  const trace = (error instanceof Error && error.stack) || errorText(error)
  return {
    text: `this is a bug in Drawbridge; please report it with these lines:\n${trace}`,
    exitCode: EXIT.failed,
  }
}
