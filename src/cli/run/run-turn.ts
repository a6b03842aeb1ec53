// One turn from start to exit code: open codex, open the thread, show what happens, end everything.
import {
  type Approver,
  type Codex,
  type CodexNotification,
  type Decision,
  type Host,
  hasOwnAccess,
  type Incident,
  openCodex,
  requireLogin,
  type Thread,
  type ThreadApprovals,
  type ThreadPolicy,
  type Turn,
} from '../../codex/index.ts'
import { isDenied } from '../prompts/index.ts'
import {
  exitCode,
  interruptedResult,
  type RunResult,
  type RunView,
  resultOfError,
  resultOfOutcome,
} from './run-result.ts'
import type { TurnRequest } from './turn-request.ts'

interface RunOptions {
  readonly host: Host
  /** As the command line names it; null: the default. */
  readonly codexHome: string | null
  readonly view: RunView
  readonly approvals: ThreadApprovals
  readonly trust: Pick<ThreadPolicy, 'trustedRoot' | 'distrusted'>
  readonly onApproval: Approver
  readonly signal: AbortSignal
}

/** Resolves with the exit code; never rejects. Aborting the signal interrupts the turn. */
export async function runTurn(request: TurnRequest, options: RunOptions): Promise<number> {
  const { view } = options
  let declined = 0
  const onIncident = (incident: Incident) => {
    if (incident.type === 'request-refused') declined++
    view.incident(incident)
  }
  const onDecision = (decision: Decision) => {
    // Of a question that nobody's answer decided, the incident tells.
    if (decision.cause !== null) return
    if (isDenied(decision.answer)) declined++
    view.decision(decision)
  }
  const result = await turnResult(request, { ...options, onIncident, onDecision })
  view.result(result)
  return exitCode(result, declined > 0)
}

interface TurnOptions extends RunOptions {
  readonly onIncident: (incident: Incident) => void
  readonly onDecision: (decision: Decision) => void
}

async function turnResult(
  request: TurnRequest,
  { host, view, signal, approvals, trust, codexHome, ...hearing }: TurnOptions,
): Promise<RunResult> {
  let codex: Codex | null = null
  let thread: Thread | null = null
  // While there is no turn to interrupt, only this ends the wait for an answer of codex.
  const leave = () => void codex?.close()
  try {
    // Shown as it comes off the wire, so that what codex asks stands after what it asks about.
    const onNotification = (notification: CodexNotification) => view.notification(notification)
    // Only then can a turn name the profile that keeps it to what was chosen.
    const experimental = hasOwnAccess(request.access)
    codex = await openCodex(host, { ...hearing, onNotification, redact: true, signal, experimental })
    signal.addEventListener('abort', leave)
    signal.throwIfAborted()
    const lack = missingLogin(codex, codexHome)
    thread = await Promise.race([openThread(codex, request, { approvals, trust }), lack])
    view.opened(thread)
    const { effort, outputSchema, timeoutMs } = request
    let last: Turn | null = null
    thread.onTurn((turn) => {
      turn.discardEvents()
      last = turn
    })
    await thread.startTurn(request.input, { effort, outputSchema, timeoutMs, signal })
    signal.removeEventListener('abort', leave)
    return await Promise.race([lastResult(thread, { last: () => last!, signal }), lack])
  } catch (error) {
    const threadId = thread?.id ?? null
    return signal.aborted ? interruptedResult(threadId) : resultOfError(error, threadId)
  } finally {
    await codex?.close()
  }
}

/** Rejects when there is no login, at once; otherwise it stays silent, and nobody has waited for it. */
function missingLogin(codex: Codex, codexHome: string | null): Promise<never> {
  const lack = requireLogin(codex, { codexHome }).then(() => new Promise<never>(() => {}))
  lack.catch(() => {})
  return lack
}

/** What the turn came to; the one after it, when the model asked something meanwhile and the answer came later. */
async function lastResult(
  thread: Thread,
  { last, signal }: { last: () => Turn; signal: AbortSignal },
): Promise<RunResult> {
  await last().outcome
  const left = new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  await Promise.race([thread.whenQuiet(), left])
  const result = resultOfOutcome(await last().outcome)
  // Whoever leaves while a question still stands has not seen the end of it.
  return signal.aborted ? { ...result, status: 'interrupted' } : result
}

function openThread(
  codex: Codex,
  { resume, cwd, model, sandbox, access }: TurnRequest,
  { approvals, trust }: Pick<TurnOptions, 'approvals' | 'trust'>,
): Promise<Thread> {
  const policy = { approvalPolicy: 'on-request' as const, ...(model !== null && { model }) }
  const settings = { cwd, approvals, sandbox, ...access, ...trust, ...policy }
  return resume === null ? codex.startThread(settings) : codex.resumeThread(resume, settings)
}
