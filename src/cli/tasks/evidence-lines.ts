import type { Task } from '../../api/index.ts'
import { visibleLine } from '../screen/index.ts'
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

/** What a status rests on, a fact on a line: what is known by name, and whatever else the reason does not tell. */
export function evidenceLines(evidence: Task['evidence'], reason: string): string[] {
  return Object.entries(evidence)
    .map(([name, value]) => [name, isTexts(value) ? telling(value) : value] as const)
    .filter(([, value]) => !isNothing(value) && !isTold(value, reason))
    .flatMap(([name, value]) => {
      const [first, ...rest] = factLines(name, value)
      return [`  ${NAMES[name] ?? words(name)}: ${first}`.trimEnd(), ...rest.map((line) => `    ${line}`)]
    })
}

/** What codex logs while all is well says nothing about an end, and some of it comes again and again. */
function telling(lines: readonly string[]): string[] {
  return [...new Set(lines.filter((line) => !/^\S+ +(?:WARN|INFO|DEBUG|TRACE) /.test(line)))]
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0)
}

/** A sentence; single words are facts of their own. */
function isTold(value: unknown, reason: string): boolean {
  return typeof value === 'string' && value.includes(' ') && reason.includes(value.replace(/^\w*Error: /, ''))
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
