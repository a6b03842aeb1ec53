// A question of codex as a form for the user of an MCP client: everything that an answer decides about, and the answers.
import { type Answer, permissionParts, type Question, type UserInputQuestion } from '../../codex/index.ts'
import type { Approval, Task } from '../../tasks/index.ts'
import { commandText } from '../../util/command-text.ts'
import { visible, visibleCode, visibleLine } from '../../util/visible-text.ts'

interface Field {
  readonly type: 'string'
  readonly title: string
  readonly description?: string
  readonly enum?: string[]
  readonly maxLength?: number
}

export interface QuestionForm {
  readonly message: string
  readonly requestedSchema: {
    readonly type: 'object'
    readonly properties: Record<string, Field>
    readonly required: string[]
  }
  /** null: this is no answer to the question. */
  answerOf(content: Readonly<Record<string, unknown>>): Answer | null
}

/** Nobody should say yes to what is not shown in full: a longer question is left to the console. */
const MESSAGE_CHARACTERS = 8_000
const MAX_FIELDS = 10
const VALUE_CHARACTERS = 4_000

/** null where a person at a client cannot answer: secrets, forms and pages of other MCP servers, and very long questions. */
export function questionForm(approval: Approval, task: Pick<Task, 'title'>): QuestionForm | null {
  const { question } = approval
  if (question.kind === 'elicitation') return null
  const form = question.kind === 'user-input' ? valuesForm(question) : choiceForm(question)
  const message = messageLines(approval, task).join('\n')
  if (form === null || message.length + JSON.stringify(form).length > MESSAGE_CHARACTERS) return null
  return { message, ...form }
}

type Fields = Omit<QuestionForm, 'message'>

/** Named tokens cannot give answers that outlast the task: those are not offered. */
function offeredChoices({ choices }: Question) {
  return choices.filter(({ word, lasts }) => word !== 'always' && lasts !== 'for good')
}

function choiceForm(question: Question): Fields | null {
  const words = offeredChoices(question).map(({ word }) => word)
  if (words.length === 0) return null
  return {
    requestedSchema: {
      type: 'object',
      properties: { answer: { type: 'string', title: 'Answer', enum: [...words] } },
      required: ['answer'],
    },
    answerOf: ({ answer }) => words.find((word) => word === answer) ?? null,
  }
}

/** The names of the fields are ours: ids come from a model. */
function valuesForm({ questions }: UserInputQuestion): Fields | null {
  if (questions.length === 0 || questions.length > MAX_FIELDS) return null
  if (questions.some(({ isSecret }) => isSecret)) return null
  const named = questions.map((question, index) => ({ name: `answer${index + 1}`, question }))
  return {
    requestedSchema: {
      type: 'object',
      properties: Object.fromEntries(named.map(({ name, question }) => [name, valueField(question)])),
      required: named.map(({ name }) => name),
    },
    answerOf: (content) => {
      const given = named.map(({ name, question: { id } }) => [id, content[name]] as const)
      if (!given.every(([, value]) => typeof value === 'string' && value.length <= VALUE_CHARACTERS))
        return null
      return { answers: Object.fromEntries(given.map(([id, value]) => [id, [value as string]])) }
    },
  }
}

function valueField({ header, question, options, isOther }: UserInputQuestion['questions'][number]): Field {
  const labels = options?.map(({ label }) => label) ?? []
  // A label that hides something is shown in the message; it is not offered as something else than it is.
  const isClosed = labels.length > 0 && !isOther && labels.every((label) => visibleLine(label) === label)
  return {
    type: 'string',
    title: visibleLine(header || question),
    description: visibleLine(question),
    ...(isClosed ? { enum: labels } : { maxLength: VALUE_CHARACTERS }),
  }
}

function messageLines({ question, deadlineAt }: Approval, task: Pick<Task, 'title'>): string[] {
  const { title, reason, parent, threadId } = question
  return [
    `Codex asks: ${visibleLine(title)}`,
    `Task: ${visibleLine(task.title)}`,
    ...(parent ? [`Asked by a sub-agent (thread ${visibleLine(threadId ?? '')})`] : []),
    ...('cwd' in question ? [`Folder: ${visibleCode(visibleLine(question.cwd))}`] : []),
    ...(reason ? [`Reason, as Codex gives it: ${visibleLine(reason)}`] : []),
    ...bodyLines(question),
    ...(question.kind === 'user-input' ? [] : choiceLines(question)),
    ...(deadlineAt === null
      ? []
      : [`Without an answer it is a no at ${new Date(deadlineAt).toISOString()}.`]),
  ]
}

function choiceLines(question: Question): string[] {
  return [
    'Answers:',
    ...offeredChoices(question).map(
      ({ word, effect, lasts }) => `- ${word}: ${visibleLine(effect)} (${lasts})`,
    ),
  ]
}

function bodyLines(question: Question): string[] {
  switch (question.kind) {
    case 'command':
      return [
        ...(question.command === '' ? [] : ['Command:', ...indented(commandText(question.command))]),
        ...(question.additionalPermissions
          ? ['With permissions:', ...indented(JSON.stringify(question.additionalPermissions, null, 1))]
          : []),
        ...(question.escalation?.network === false ? ['A yes gives no network here.'] : []),
      ]
    case 'file-change':
      return [
        ...(question.grantRoot === null
          ? []
          : [`Asks to write anywhere below: ${visibleCode(visibleLine(question.grantRoot))}`]),
        ...question.changes.flatMap(({ path, kind, diff }) => [
          `File (${kind.type}): ${visibleCode(visibleLine(path))}`,
          ...indented(diff),
        ]),
      ]
    case 'permissions':
      return permissionParts(question.permissions).map(({ label }) => `Wants: ${visibleLine(label)}`)
    case 'mcp-tool':
      return [
        `Tool: ${visibleLine(`${question.server}.${question.tool ?? '(not named)'}`)}`,
        ...indented(JSON.stringify(question.arguments ?? {}, null, 1)),
      ]
    case 'user-input':
      return question.questions.flatMap(({ question: text, options }) => [
        `- ${visibleLine(text)}`,
        ...(options ?? []).map(
          ({ label, description }) => `  ${visibleLine(label)}: ${visibleLine(description)}`,
        ),
      ])
    case 'elicitation':
      return []
  }
}

/** Set off from our own lines, which it could otherwise imitate. */
function indented(text: string): string[] {
  return visible(text.replace(/\r\n/g, '\n'))
    .split('\n')
    .map((line) => `    ${visibleCode(line)}`)
}
