import type { Task } from '../../api/index.ts'
import { visibleLine } from '../approvals/visible.ts'
import { shortId } from './find-id.ts'

const NAMES: Readonly<Record<string, string>> = {
  turnId: 'turn',
  appServer: 'app-server',
  codexErrorInfo: 'codex error',
  stderrTail: 'codex wrote last',
  approvals: 'open questions',
  timeoutMs: 'time limit',
  hasUnansweredInput: 'has unanswered input',
}
const MAX_TAIL = 5

/** What a status rests on, a fact on a line: what is known by name, and whatever else is there. */
export function evidenceLines(evidence: Task['evidence']): string[] {
  return Object.entries(evidence)
    .filter(
      ([, value]) => value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0),
    )
    .flatMap(([name, value]) => {
      const [first, ...rest] = factLines(name, value)
      return [`  ${NAMES[name] ?? words(name)}: ${first}`.trimEnd(), ...rest.map((line) => `    ${line}`)]
    })
}

function factLines(name: string, value: unknown): string[] {
  if (name === 'timeoutMs' && typeof value === 'number') return [`${value / 1_000} s`]
  if (name === 'approvals' && isTexts(value)) return [value.map(shortId).join(', ')]
  if (isTexts(value)) return ['', ...value.slice(-MAX_TAIL).map(visibleLine)]
  if (value === true) return ['yes']
  return [visibleLine(typeof value === 'string' ? value : JSON.stringify(value))]
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

/** `codexSaid` as `codex said`. */
function words(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}
