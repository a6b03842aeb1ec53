// A task as a model reads it: one line of JSON with what other calls need, then plain sentences.
import { hasEnded, type Task } from '../../tasks/index.ts'
import { cutText } from '../../util/cut-text.ts'

/** Of an answer that comes with the state of a task; `task_result` gives the rest. */
const ANSWER_CHARACTERS = 8_000
const PROMPT_CHARACTERS = 300

type Fields = Readonly<Record<string, unknown>>

/** What the next call needs, on one line. */
export function taskJson(task: Task, more: Fields = {}): string {
  const { id, status, waitingFor, lastSeq } = task
  return JSON.stringify({ taskId: id, status, ...(waitingFor && { waitingFor }), cursor: lastSeq, ...more })
}

/** Why it has its status, and what can be done about it. */
export function statusLines({
  reason,
  failure,
  limitedUntil,
  queuePosition,
  queuedMessages,
  ...task
}: Task): string[] {
  return [
    reason,
    ...(failure ? [`error ${failure.code}: ${failure.message} ${failure.hint}`.trim()] : []),
    ...(limitedUntil === null ? [] : [`It resumes by itself at ${new Date(limitedUntil).toISOString()}.`]),
    ...(queuePosition === null ? [] : [`Place in the queue: ${queuePosition}.`]),
    ...(queuedMessages === 0 ? [] : [`Messages that wait for their turn: ${queuedMessages}.`]),
    ...saidLines(task),
  ]
}

/** A service of an older version says nothing of these. */
function saidLines({
  progress,
  attention,
  openDeliverables = 0,
}: Pick<Task, 'progress' | 'attention' | 'openDeliverables'>): string[] {
  const percent = progress?.percent == null ? '' : `${progress.percent} %, `
  return [
    ...(progress ? [`It says of its progress: ${percent}${progress.text}`] : []),
    ...(attention ? [`It wants a person to look: ${attention.reason}`] : []),
    ...(openDeliverables === 0
      ? []
      : [
          `Files that it handed over, and that wait for an answer of a person or program: ${openDeliverables}.`,
        ]),
  ]
}

/** The answer of the last turn that gave one, and whose it is when a later turn ended otherwise. */
export function answerLines(task: Task): string[] {
  const { result, status, evidence } = task
  if (!result || !(hasEnded(status) || status === 'waiting')) return []
  const isOfAnotherTurn = typeof evidence.turnId === 'string' && evidence.turnId !== result.turnId
  const label = isOfAnotherTurn || status === 'waiting' ? 'answer of an earlier turn' : 'answer'
  const { text } = result
  const rest =
    text.length > ANSWER_CHARACTERS
      ? [`The answer has ${text.length} characters: task_result gives all of it.`]
      : []
  return [`${label}:`, cutText(text, ANSWER_CHARACTERS), ...rest]
}

/** One line of a list. */
export function listedTask({ id, status, title, cwd, openApprovals, updatedAt }: Task): string {
  return JSON.stringify({
    taskId: id,
    status,
    title: cutText(title, 100),
    cwd,
    ...(openApprovals > 0 && { openQuestions: openApprovals }),
    updatedAt: new Date(updatedAt).toISOString(),
  })
}

/** What it was asked and how it may work. */
export function taskFacts(task: Task): string[] {
  const { title, prompt, cwd, policy, preset, turnCount, usage, forkedFrom, createdAt } = task
  return [
    `title: ${title}`,
    `prompt: ${cutText(prompt, PROMPT_CHARACTERS)}`,
    `folder: ${cwd}`,
    `sandbox ${policy.sandbox ?? 'read-only'}, approvals ${preset}${policy.model ? `, model ${policy.model}` : ''}`,
    `turns: ${turnCount}${usage ? `, tokens: ${usage.totalTokens}` : ''}, created ${new Date(createdAt).toISOString()}`,
    ...(forkedFrom === null ? [] : [`forked from ${forkedFrom}`]),
  ]
}
