import type { PolicyIncident } from '../policy/index.ts'
import type { RequestIncident } from '../requests/index.ts'
import type { WireIncident } from '../wire/index.ts'
import type { TurnIncident } from './turn-context.ts'

/** Something that should not have happened and was survived. */
export type Incident = WireIncident | RequestIncident | PolicyIncident | TurnIncident

/** The thread it happened to; null when it belongs to none. */
export function threadOfIncident(incident: Incident): string | null {
  const { threadId, question, params } = incident as {
    threadId?: string | null
    question?: { threadId?: string | null } | null
    params?: unknown
  }
  const found = threadId ?? question?.threadId ?? (Object(params) as { threadId?: unknown }).threadId
  return typeof found === 'string' ? found : null
}
