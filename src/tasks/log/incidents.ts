// What went wrong with a thread and was survived, as events in the log of the task it belongs to.
import { type Incident, redact } from '../../codex/index.ts'
import type { EventLog } from '../../store/index.ts'
import { writeOwn } from './write-own.ts'

const MAX_MESSAGE = 500

/** Never throws. */
export function writeIncident(
  taskId: string,
  incident: Incident,
  { log, onError }: { log: Pick<EventLog, 'change'>; onError: (error: unknown) => void },
): void {
  // A withdrawn question is in the log as an approval.
  if (incident.type === 'question-withdrawn') return
  const event = { type: incident.type, message: incidentText(incident) }
  writeOwn(taskId, 'drawbridge/incident', event, { log, onError })
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

function causeOf(error: unknown): string | null {
  if (error === null || error === undefined) return null
  return error instanceof Error ? error.message : text(error)
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
