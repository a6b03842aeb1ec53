// A task as people see it by itself.
import type { Approval, EventEnvelope, Task, TaskDetail } from '../../api/index.ts'
import type { Question } from '../../codex/index.ts'
import { howToAnswer } from '../prompts/index.ts'
import { ago, type Cell, duration, inLocalTime, localTime, visibleLine } from '../screen/index.ts'
import { evidenceLines } from './evidence-lines.ts'
import { failureAdvice } from './failure-advice.ts'
import { shortId } from './find-id.ts'
import { lastAnswer } from './last-answer.ts'
import { promptLines } from './prompt-lines.ts'
import { recentLines } from './recent-lines.ts'
import { saidLines } from './said-lines.ts'
import { COLOURS, statusCell } from './task-table.ts'

export function taskPage(detail: TaskDetail, now: number, children: readonly Task[] = []): (string | Cell)[] {
  const { task, approvals, messages } = detail
  return [
    { text: visibleLine(task.title), colour: 'bold' },
    {
      text: visibleLine(`${statusCell(task).text}: ${inLocalTime(task.reason, now)}`),
      colour: COLOURS[task.status],
    },
    ...failureLines(task),
    ...saidLines(task, shortId(task.id)),
    ...facts(task, now),
    ...section('prompt:', promptLines(task)),
    ...section('what this state rests on:', evidenceLines(task.evidence, task.reason)),
    ...section(
      'tasks that it started:',
      children.map(
        (child) => `  ${shortId(child.id)} ${statusCell(child).text}: ${visibleLine(child.title)}`,
      ),
    ),
    ...approvals.flatMap((approval) => ['', ...approvalSummary(approval, now)]),
    ...(messages.length > 0 ? ['', `${messages.length} waiting to be sent:`] : []),
    ...messages.map(({ text }) => `  > ${visibleLine(text.split('\n', 1)[0]!)}`),
    ...section('lately:', recentLines(withoutTold(detail), { threadId: task.threadId, now })),
    ...answerLines(task),
  ]
}

function section(title: string, lines: readonly string[]): (string | Cell)[] {
  return lines.length === 0 ? [] : ['', { text: title, colour: 'dim' }, ...lines]
}

/** The message only where the reason has not told it. */
function failureLines(task: Task): (string | Cell)[] {
  const { reason, failure } = task
  if (!failure) return []
  const isTold = reason.includes(failure.message)
  return [
    ...(isTold ? [] : [{ text: visibleLine(failure.message), colour: 'red' as const }]),
    visibleLine(`→ ${failureAdvice(failure, task)}`),
  ]
}

/** The events but for those that say what the page itself says: how it is, and its answer. */
function withoutTold({ task, events }: TaskDetail): EventEnvelope[] {
  const { status, reason, result } = task
  return events.filter(({ event }) => {
    const told = Object(event.params) as { status?: string; reason?: string; item?: TextItem }
    if (event.method === 'drawbridge/task') return told.status !== status || told.reason !== reason
    const { type, text } = told.item ?? {}
    return !(type === 'agentMessage' && result !== null && text === result.text)
  })
}

interface TextItem {
  readonly type?: string
  readonly text?: string
}

const ANSWER_OF = {
  done: null,
  'cut-short': 'what it said before that:',
  earlier: 'answer of an earlier turn:',
} as const

function answerLines(task: Task): (string | Cell)[] {
  const answer = lastAnswer(task)
  if (!answer) return []
  const title = ANSWER_OF[answer.of]
  const lines = answer.text.trimEnd().split('\n')
  return title === null ? ['', ...lines] : section(title, lines)
}

function facts(task: Task, now: number): string[] {
  const { model, effort, sandbox } = {
    ...task.policy,
    ...(task.effectivePolicy as { model?: string } | null),
  }
  const took = task.startedAt === null ? null : duration((task.endedAt ?? now) - task.startedAt)
  const facts: [string, string | null | undefined][] = [
    ['id', task.id],
    ['host', task.host],
    ['in', task.cwd],
    ['place', placeText(task)],
    ['account', task.account],
    ['worker', task.worker?.name],
    ['on', task.on],
    ['if lost', task.onLost === 'fail' ? 'ends as lost when its worker is lost' : null],
    ['model', [model, effort].filter(Boolean).join(' · ')],
    ['sandbox', typeof sandbox === 'string' ? sandbox : task.policy.sandbox],
    ['touches', touchesText(task)],
    ['approve', task.preset],
    ['rules', task.rules.join('; ')],
    ['labels', task.labels.join(', ')],
    ['tools', task.tools.join(', ')],
    ['notify', task.notify.join(', ')],
    ['thread', task.threadId],
    ['turns', task.turnCount > 0 ? String(task.turnCount) : null],
    ['snaps', task.snapshots],
    ['restored', task.restoredFrom && `from the snapshot ${task.restoredFrom}`],
    ['forked', task.forkedFrom],
    ['below', task.parent],
    ['by', task.createdBy && `the token ${task.createdBy.name}`],
    ['limited', task.limitedUntil === null ? null : `until ${localTime(task.limitedUntil, now)}`],
    ['created', ago(task.createdAt, now)],
    ['took', took],
    ['tokens', task.usage ? `${task.usage.inputTokens} in, ${task.usage.outputTokens} out` : null],
  ]
  return facts
    .filter(([, value]) => value)
    .map(([name, value]) => `  ${name.padEnd(8)} ${visibleLine(value!)}`)
}

/** null: a folder of the user's. */
function placeText({ workspace }: Task): string | null {
  // A service of an older version says nothing of it.
  if (!workspace) return null
  const { kind, branch, source, from, parts = [] } = workspace
  const of = source === null ? '' : ` of ${source}`
  const on = branch === null ? '' : `, on ${branch}${from === null ? '' : ` from ${from}`}`
  const also = parts.map((part) => `; also ${part.folder} of ${part.source}, on ${part.branch}`).join('')
  return `${kind === 'scratch' ? 'an empty folder' : `a ${kind}`}${of}${on}${also}`
}

/** What commands may touch besides what the sandbox says; null: nothing was chosen. */
function touchesText({ policy: { allow = [], confined, network } }: Task): string | null {
  const domains = typeof network === 'object' ? `network only to ${network.domains.join(', ')}` : null
  const parts = [
    confined ? 'only the workspace and what is named' : null,
    ...allow.map(({ access, path }) => `${access}:${path}`),
    network === true ? 'the network' : domains,
  ].filter((part) => part !== null)
  return parts.length === 0 ? null : parts.join(' · ')
}

function approvalSummary({ id, question, createdAt }: Approval, now: number): (string | Cell)[] {
  const command = howToAnswer(shortId(id), question as Question)
  return [
    { text: `? ${visibleLine(question.title)}`, colour: 'yellow' },
    `  ${shortId(id)}, asked ${ago(createdAt, now)}; answer with: ${command}`,
  ]
}
