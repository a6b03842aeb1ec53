// A question of codex as a model reads it, with what each answer would do.
import { permissionParts, type Question } from '../../codex/index.ts'
import type { Approval } from '../../tasks/index.ts'
import { commandText } from '../../util/command-text.ts'
import { cutMiddle, cutText } from '../../util/cut-text.ts'

const COMMAND_CHARACTERS = 2_000
const DIFF_CHARACTERS = 4_000
const JSON_CHARACTERS = 2_000
const LINE_CHARACTERS = 600

export function questionLines(approval: Approval): string[] {
  const { id, taskId, question, deadlineAt } = approval
  const { kind, title, reason, choices } = question
  const inFolder = 'cwd' in question ? ` in ${question.cwd}` : ''
  return [
    JSON.stringify({ questionId: id, taskId, kind }),
    `Codex asks: ${cutText(title, LINE_CHARACTERS)}${inFolder}`,
    ...(reason ? [`why: ${cutText(reason, LINE_CHARACTERS)}`] : []),
    ...bodyLines(question),
    ...choices.map(({ word, effect, lasts }) => `- ${word}: ${effect} (${lasts})`),
    ...(deadlineAt === null ? [] : [`Answered with no at ${new Date(deadlineAt).toISOString()}.`]),
  ]
}

function bodyLines(question: Question): string[] {
  switch (question.kind) {
    case 'command':
      return [
        ...(question.command === ''
          ? []
          : [`$ ${cutMiddle(commandText(question.command), COMMAND_CHARACTERS)}`]),
        ...(question.escalation?.network === false ? ['A yes gives no network here.'] : []),
      ]
    case 'file-change':
      return [
        cutMiddle(question.changes.map(({ path, diff }) => `${path}\n${diff}`).join('\n'), DIFF_CHARACTERS),
      ]
    case 'permissions':
      return permissionParts(question.permissions).map(
        ({ label }) => `wants: ${cutText(label, LINE_CHARACTERS)}`,
      )
    case 'mcp-tool':
      return [`tool ${question.server}.${question.tool}: ${shortJson(question.arguments)}`]
    case 'elicitation':
      return [
        cutText(question.message, LINE_CHARACTERS),
        ...(question.url === null ? [] : [`page: ${question.url}`]),
        ...(question.schema ? [`answer with task_answer content for ${shortJson(question.schema)}`] : []),
      ]
    case 'user-input':
      return [
        ...question.questions.map(
          ({ id, question: text, options, isSecret }) =>
            `- ${id}: ${cutText(text, LINE_CHARACTERS)}${optionText(options)}${isSecret ? ' (a secret)' : ''}`,
        ),
        'Answer with task_answer answers, by these ids.',
      ]
  }
}

function optionText(options: readonly { readonly label: string }[] | null): string {
  if (!options || options.length === 0) return ''
  return ` [${options.map(({ label }) => cutText(label, 100)).join(' | ')}]`
}

function shortJson(value: unknown): string {
  return cutText(JSON.stringify(value ?? {}), JSON_CHARACTERS)
}
