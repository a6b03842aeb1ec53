import {
  type CodexNotification,
  type Decision,
  type Incident,
  redactValue,
  type Thread,
} from '../../codex/index.ts'
import { errorText } from '../process/index.ts'
import { describeRequest } from './describe-request.ts'
import type { RunResult, RunView } from './run-result.ts'

/** JSON lines on stdout and nothing else. codex's notifications pass through as it wrote them. */
export class JsonView implements RunView {
  readonly #write: (text: string) => void

  constructor(write: (text: string) => void) {
    this.#write = write
  }

  opened({ id, settings, sandbox }: Thread): void {
    const { model, cwd, approvalPolicy } = settings
    this.#line({ type: 'thread', threadId: id, model, cwd, sandbox, approvalPolicy })
  }

  notification({ raw }: CodexNotification): void {
    this.#write(`{"type":"codex",${raw.trimStart().slice(1)}\n`)
  }

  decision({ question, answer, by, rule, why, at }: Decision): void {
    const { kind, method, params, title: what } = question
    this.#line({ type: 'decision', what, answer, by, rule, why, at, kind, method, params })
  }

  incident(incident: Incident): void {
    if (incident.type !== 'request-refused' && incident.type !== 'question-withdrawn')
      return this.#line({ ...incident, type: 'incident', incident: incident.type })
    const { method, params } = incident
    const what = describeRequest(method, params)
    if (incident.type === 'request-refused') this.#line({ type: 'declined', what, method, params })
    else this.#line({ type: 'withdrawn', what, method, params, why: errorText(incident.reason) })
  }

  result(result: RunResult): void {
    this.#line({ type: 'result', ...result })
  }

  #line(value: object): void {
    this.#write(`${JSON.stringify(redactValue(value))}\n`)
  }
}
