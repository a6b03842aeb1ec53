import type { Approval } from '../../api/index.ts'
import type { Choice, ElicitationQuestion, Question } from '../../codex/index.ts'
import { choiceEffect, type Field, howToAnswer, questionLines, schemaFields } from '../prompts/index.ts'
import { ago, type Line, visibleLine } from '../screen/index.ts'
import { shortId } from '../tasks/index.ts'

export interface Shown {
  readonly now: number
  /** Who asks, as `taskNames` tells it. */
  readonly task: string
  /** With what each word would do, and for how long. */
  readonly isExplained: boolean
}

/** An open question with all there is to know, and how to answer it. */
export function approvalLines(
  { id, question, createdAt, deadlineAt, proposedRule }: Approval,
  { now, task, isExplained }: Shown,
): Line[] {
  const { head, body } = questionLines(question as Question)
  const deadline = deadlineAt === null ? '' : `; the answer will be no ${ago(deadlineAt, now)}`
  const rule: Line[] = proposedRule
    ? [{ text: `  always would mean: ${visibleLine(proposedRule)}`, style: 'dim' }]
    : []
  return [
    ...head,
    ...body,
    ...(question.kind === 'user-input' ? question.questions.flatMap(askedLines) : []),
    ...(question.kind === 'elicitation'
      ? schemaFields(question as ElicitationQuestion).flatMap(fieldLines)
      : []),
    { text: `  asked ${ago(createdAt, now)} by ${task}${deadline}`, style: 'dim' },
    ...(isExplained ? effectLines(question.choices) : rule),
    { text: `  ${howToAnswer(shortId(id), question as Question)}`, style: 'bold' },
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

/** Options by what is to be typed for them. */
function fieldLines({ name, label, kind, options, isRequired }: Field): Line[] {
  const what = label === name ? kind : visibleLine(label)
  return [
    { text: `  ${visibleLine(name)}: ${what}${isRequired ? ' (required)' : ''}` },
    ...options.map(({ value, label: title }) => ({
      text: `    - ${visibleLine(value)}${title === value ? '' : `: ${visibleLine(title)}`}`,
    })),
  ]
}

function effectLines(choices: readonly Choice[]): Line[] {
  const typed = choices.map((choice) => ({
    name: choice.word === 'cancel' ? 'deny --cancel' : choice.word,
    effect: choiceEffect(choice),
  }))
  const width = Math.max(...typed.map(({ name }) => name.length))
  return typed.map(({ name, effect }) => ({ text: `  ${name.padEnd(width)}  ${effect}`, style: 'dim' }))
}
