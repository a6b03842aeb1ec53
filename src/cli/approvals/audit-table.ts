// Decisions as people see them: a row for each, and below it why.
import type { AuditEntry } from '../../api/index.ts'
import type { Answer } from '../../codex/index.ts'
import { answerVerb, isDenied } from '../prompts/index.ts'
import { type Cell, localTime } from '../screen/index.ts'
import { shortId } from '../tasks/index.ts'

export function auditTable(entries: readonly AuditEntry[], now: number): Cell[][] {
  const head = ['WHEN', 'TASK', 'ANSWER', 'BY', 'WHAT'].map((text): Cell => ({ text, colour: 'dim' }))
  return [head, ...entries.flatMap((entry) => rows(entry, now))]
}

function rows(entry: AuditEntry, now: number): Cell[][] {
  const { at, taskId, kind, title, answer, by, actor, rule, why } = entry
  const row: Cell[] = [
    { text: localTime(at, now) },
    { text: shortId(taskId) },
    answerCell(answer as Answer | null, kind),
    { text: actor ?? (by === 'rule' ? 'a rule' : 'nobody') },
    { text: title },
  ]
  // Why a rule decided names the rule.
  const more = [
    given(answer),
    rule && !why?.includes(rule) ? `rule: ${rule}` : null,
    why ? `why: ${why}` : null,
  ]
  const below = more.filter((text) => text !== null)
  return [
    row,
    ...below.map((text) => [...row.slice(1).map(() => EMPTY), { text: `  ${text}`, colour: 'dim' as const }]),
  ]
}

/** What was filled in or granted, as it is kept: without what is secret. */
function given(answer: AuditEntry['answer']): string | null {
  if (answer === null || typeof answer === 'string') return null
  if ('answers' in answer || 'content' in answer)
    return Object.entries('answers' in answer ? answer.answers : answer.content)
      .map(([name, value]) => `${name}: ${[value].flat().join(', ')}`)
      .join('; ')
  return JSON.stringify('permissions' in answer ? answer.permissions : answer.result)
}

const EMPTY: Cell = { text: '' }

function answerCell(answer: Answer | null, kind: string): Cell {
  if (answer === null) return { text: 'unknown' }
  return { text: answerVerb(answer, kind), colour: isDenied(answer) ? 'yellow' : 'green' }
}
