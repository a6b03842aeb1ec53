// What went wrong with a thread and was survived, as events in the log of the task it belongs to.
import { type Incident, type ParentTurn, redact } from '../codex/index.ts'
import { type EventLog, taskRow } from '../store/index.ts'

interface IncidentsParts {
  readonly log: Pick<EventLog, 'change'>
  readonly taskOf: (threadId: string) => string | undefined
  readonly onError: (error: unknown) => void
}

/** What a thread is opened with is compared before its task is known: of such incidents only the newest are kept. */
const MAX_KEPT = 64
const MAX_MESSAGE = 500

export class Incidents {
  readonly #parts: IncidentsParts
  #kept: { readonly threadId: string; readonly incident: Incident }[] = []

  constructor(parts: IncidentsParts) {
    this.#parts = parts
  }

  /** Never throws. An incident that belongs to no thread is in nobody's log. */
  hear(incident: Incident, parentOf: (threadId: string) => ParentTurn | null): void {
    // A withdrawn question is in the log as an approval.
    if (incident.type === 'question-withdrawn') return
    const own = threadIdOf(incident)
    if (own === null) return
    const threadId = parentOf(own)?.threadId ?? own
    const taskId = this.#parts.taskOf(threadId)
    if (taskId !== undefined) return this.#write(taskId, incident)
    this.#kept = [...this.#kept, { threadId, incident }].slice(-MAX_KEPT)
  }

  /** This thread is that task's. */
  placed(threadId: string, taskId: string): void {
    if (this.#kept.length === 0) return
    const mine = this.#kept.filter((kept) => kept.threadId === threadId)
    this.#kept = this.#kept.filter((kept) => kept.threadId !== threadId)
    for (const { incident } of mine) this.#write(taskId, incident)
  }

  #write(taskId: string, incident: Incident): void {
    const { log, onError } = this.#parts
    const event = { type: incident.type, message: incidentText(incident) }
    log
      .change(async (change) => {
        // An event without its task would break the log.
        if (await taskRow(change.db, taskId)) change.emit(taskId, 'drawbridge/incident', event)
      })
      .catch(onError)
  }
}

/** One sentence, without secrets. */
export function incidentText(incident: Incident): string {
  return redact(sentence(incident)).slice(0, MAX_MESSAGE)
}

function sentence(incident: Incident): string {
  switch (incident.type) {
    case 'policy-differs':
      return `codex uses ${incident.field} ${text(incident.got)}, not ${text(incident.asked)} as asked`
    case 'policy-mapped':
      return `this codex knows ${incident.field} ${text(incident.asked)} as ${text(incident.got)}`
    case 'request-refused':
      return `codex asked ${incident.method}, and was refused: ${causeOf(incident.error) ?? 'nothing here answers it'}`
    case 'look-failed':
      return `codex could not be asked about a silent turn: ${causeOf(incident.error)}`
    case 'commands-left-running':
      return `commands of the interrupted turn may still run: ${causeOf(incident.error)}`
    case 'answer-unsent':
      return `the answer could not be sent to codex: ${causeOf(incident.error)}`
    default:
      return causeOf((incident as { error?: unknown }).error) ?? text(incident)
  }
}

function threadIdOf(incident: Incident): string | null {
  const { threadId, question, params } = incident as {
    threadId?: string | null
    question?: { threadId?: string | null } | null
    params?: unknown
  }
  const found = threadId ?? question?.threadId ?? (Object(params) as { threadId?: unknown }).threadId
  return typeof found === 'string' ? found : null
}

function causeOf(error: unknown): string | null {
  if (error === null || error === undefined) return null
  return error instanceof Error ? error.message : text(error)
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
