// One turn from start to exit code: open codex, open the thread, show what happens, end everything.
import {
  type Approver,
  type Codex,
  type CodexNotification,
  type Decision,
  type Host,
  type Incident,
  openCodex,
  type Thread,
} from '../../codex/index.ts'
import { isDenied } from '../approvals/decision-text.ts'
import {
  exitCode,
  interruptedResult,
  isWithdrawn,
  type RunResult,
  type RunView,
  resultOfError,
  resultOfOutcome,
} from './run-result.ts'
import type { TurnRequest } from './turn-request.ts'

interface RunOptions {
  readonly host: Host
  readonly view: RunView
  readonly onApproval: Approver
  readonly signal: AbortSignal
}

/** Resolves with the exit code; never rejects. Aborting the signal interrupts the turn. */
export async function runTurn(request: TurnRequest, options: RunOptions): Promise<number> {
  const { view } = options
  let declined = 0
  const onIncident = (incident: Incident) => {
    if (incident.type === 'request-refused' && !isWithdrawn(incident)) declined++
    view.incident(incident)
  }
  const onDecision = (decision: Decision) => {
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
  { host, view, signal, ...hearing }: TurnOptions,
): Promise<RunResult> {
  let codex: Codex | null = null
  let thread: Thread | null = null
  // While there is no turn to interrupt, only this ends the wait for an answer of codex.
  const leave = () => void codex?.close()
  try {
    // Shown as it comes off the wire, so that what codex asks stands after what it asks about.
    const onNotification = (notification: CodexNotification) => view.notification(notification)
    codex = await openCodex(host, { ...hearing, onNotification, redact: true, signal })
    signal.addEventListener('abort', leave)
    signal.throwIfAborted()
    thread = await openThread(codex, request)
    view.opened(thread)
    const { effort, outputSchema, timeoutMs } = request
    const turn = await thread.startTurn(request.input, { effort, outputSchema, timeoutMs, signal })
    signal.removeEventListener('abort', leave)
    turn.discardEvents()
    return resultOfOutcome(await turn.outcome)
  } catch (error) {
    const threadId = thread?.id ?? null
    return signal.aborted ? interruptedResult(threadId) : resultOfError(error, threadId)
  } finally {
    await codex?.close()
  }
}

function openThread(codex: Codex, { resume, cwd, model, sandbox }: TurnRequest): Promise<Thread> {
  const settings = { cwd, sandbox, approvalPolicy: 'on-request' as const, ...(model !== null && { model }) }
  return resume === null ? codex.startThread(settings) : codex.resumeThread(resume, settings)
}
