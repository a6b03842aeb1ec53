import type { Approval } from '../../api/index.ts'
import type { Question } from '../../codex/index.ts'
import { questionLines } from '../approvals/question-lines.ts'
import { visibleLine } from '../approvals/visible.ts'
import { ago } from '../relative-time.ts'
import { shortId } from '../tasks/find-id.ts'
import type { Line } from '../terminal.ts'

/** An open question with all there is to know, and how to answer it. */
export function approvalLines(
  { id, taskId, question, createdAt, deadlineAt, proposedRule }: Approval,
  now: number,
): Line[] {
  const { head, body } = questionLines(question as Question)
  const deadline = deadlineAt === null ? '' : `; the answer will be no ${ago(deadlineAt, now)}`
  return [
    ...head,
    ...body,
    ...(question.kind === 'user-input' ? question.questions.flatMap(askedLines) : []),
    ...(question.kind === 'elicitation' && question.schema ? schemaLines(question.schema) : []),
    { text: `  asked ${ago(createdAt, now)} by task ${shortId(taskId)}${deadline}`, style: 'dim' },
    ...(proposedRule
      ? [{ text: `  always would mean: ${visibleLine(proposedRule)}`, style: 'dim' as const }]
      : []),
    { text: `  ${howTo(id, question)}`, style: 'bold' },
  ]
}

type UserInput = Extract<Approval['question'], { kind: 'user-input' }>['questions'][number]

function askedLines({ id, question, options, isSecret }: UserInput): Line[] {
  const secret = isSecret ? ' (secret)' : ''
  return [
    { text: `  ${visibleLine(id)}: ${visibleLine(question)}${secret}` },
    ...(options ?? []).map(({ label, description }) => ({
      text: `    - ${visibleLine(label)}${description ? `: ${visibleLine(description)}` : ''}`,
    })),
  ]
}

function schemaLines(schema: unknown): Line[] {
  const { properties = {} } = Object(schema) as {
    properties?: Record<string, { type?: string; title?: string }>
  }
  return Object.entries(properties).map(([name, { type, title }]) => ({
    text: `  ${visibleLine(name)}: ${visibleLine(title ?? type ?? 'any')}`,
  }))
}

function howTo(approvalId: string, question: Approval['question']): string {
  const id = shortId(approvalId)
  const isForm = question.kind === 'user-input' || (question.kind === 'elicitation' && question.url === null)
  if (isForm) return `drawbridge answer ${id} --value name=…   or   drawbridge deny ${id}`
  const words = question.choices
    .map(({ word }) => word)
    .filter((word) => word !== 'deny' && word !== 'cancel')
  return `drawbridge approve ${id}${words.length > 1 ? ` [${words.join('|')}]` : ''}   or   drawbridge deny ${id}`
}
