// What each event does to the rows. A table: a method that is not in it is shown raw, unless it is silent.
import { asParams, listOf, numberOf, type Params, textOf } from './params.ts'
import type { Item, ItemRow } from './row.ts'
import type { RowList } from './row-list.ts'

export interface FoldContext {
  readonly seq: number
  readonly at: number
  readonly turnId: string | null
  readonly params: Params
}

export type Fold = (list: RowList, context: FoldContext) => void

/** Heard, stored, in the raw view; not part of the story. */
const SILENT = new Set([
  'thread/started',
  'thread/status/changed',
  'thread/tokenUsage/updated',
  'thread/name/updated',
  'thread/settings/updated',
  'thread/closed',
  'thread/environment/connected',
  'thread/environment/disconnected',
  'thread/queue/changed',
  'thread/prediction/updated',
  'thread/readState/changed',
  'thread/attachment/updated',
  'thread/project/updated',
  'turn/started',
  'turn/diff/updated',
  'turn/moderationMetadata',
  'serverRequest/resolved',
  'skills/changed',
  'hook/started',
  'hook/completed',
  'rawResponse/completed',
  'rawResponseItem/completed',
  'model/verification',
  'model/safetyBuffering/updated',
  'item/fileChange/patchUpdated',
  'item/fileChange/outputDelta',
  'item/commandExecution/terminalInteraction',
  'item/autoApprovalReview/started',
  'account/rateLimits/updated',
  'drawbridge/task',
  'drawbridge/changed',
])

export function isSilent(method: string): boolean {
  return SILENT.has(method)
}

const started: Fold = (list, { params, ...at }) => {
  const item = itemOf(params)
  if (item === null) return
  retriesAreOver(list, at.turnId)
  const known = list.get(`item:${item.id}`)
  if (known) return
  list.put({ kind: 'item', key: `item:${item.id}`, item, isOpen: true, live: '', isCut: false, ...at })
}

/** Supersedes what was heard of the item before. One that was never seen to start is taken in too. */
const completed: Fold = (list, { params, ...at }) => {
  const item = itemOf(params)
  if (item === null) return
  retriesAreOver(list, at.turnId)
  const known = list.get(`item:${item.id}`)
  const place = known?.kind === 'item' ? known : { key: `item:${item.id}`, ...at }
  list.put({
    kind: 'item',
    key: place.key,
    seq: place.seq,
    at: place.at,
    turnId: place.turnId,
    item,
    isOpen: false,
    live: '',
    isCut: false,
  })
}

/** More text of an item; `type` is for one whose start was not heard. */
function delta(type: string, before: (row: ItemRow, params: Params) => string = () => ''): Fold {
  return (list, { params, ...at }) => {
    const id = textOf(params.itemId)
    if (id === null) return
    retriesAreOver(list, at.turnId)
    const key = `item:${id}`
    const known = list.get(key)
    const row: ItemRow =
      known?.kind === 'item'
        ? known
        : { kind: 'item', key, item: { id, type }, isOpen: true, live: '', isCut: false, ...at }
    if (row.isOpen)
      list.put({
        ...row,
        live: row.live + before(row, params) + (textOf(params.delta) ?? textOf(params.message) ?? ''),
      })
  }
}

const newParagraph = ({ live }: ItemRow) => (live === '' || live.endsWith('\n\n') ? '' : '\n\n')

const turnCompleted: Fold = (list, { params, ...at }) => {
  const turn = asParams(params.turn)
  const status = textOf(turn.status) ?? 'completed'
  const error = asParams(turn.error)
  for (const row of list.openItems())
    if (row.turnId === at.turnId) list.put({ ...row, isOpen: false, isCut: true })
  if (status === 'failed' && list.get(`error:${at.turnId}`) === undefined)
    list.put({
      kind: 'error',
      key: `error:${at.turnId}`,
      message: textOf(error.message) ?? 'The turn failed.',
      details: textOf(error.additionalDetails),
      willRetry: false,
      attempts: 1,
      isOver: false,
      ...at,
    })
  else if (status === 'failed') retriesGaveUp(list, at.turnId)
  else retriesAreOver(list, at.turnId)
  list.put({
    kind: 'turn-end',
    key: `end:${at.turnId}`,
    status,
    durationMs: numberOf(turn.durationMs),
    ...at,
  })
}

const failed: Fold = (list, { params, ...at }) => {
  const error = asParams(params.error)
  const key = `error:${at.turnId}`
  const known = list.get(key)
  const attempts = known?.kind === 'error' ? known.attempts + 1 : 1
  const place = known ?? { key, ...at }
  list.put({
    kind: 'error',
    key,
    seq: place.seq,
    at: place.at,
    turnId: at.turnId,
    message: textOf(error.message) ?? 'Something went wrong.',
    details: textOf(error.additionalDetails),
    willRetry: params.willRetry === true,
    attempts,
    isOver: false,
  })
}

function retriesAreOver(list: RowList, turnId: string | null): void {
  const row = list.get(`error:${turnId}`)
  if (row?.kind === 'error' && row.willRetry && !row.isOver) list.put({ ...row, isOver: true })
}

function retriesGaveUp(list: RowList, turnId: string | null): void {
  const row = list.get(`error:${turnId}`)
  if (row?.kind === 'error') list.put({ ...row, willRetry: false, isOver: false })
}

const planned: Fold = (list, { params, ...at }) => {
  const key = `plan:${at.turnId}`
  const place = list.get(key) ?? { key, ...at }
  const steps = listOf(params.plan).map(({ step, status }) => ({
    step: String(step),
    status: String(status),
  }))
  list.put({
    kind: 'plan',
    key,
    seq: place.seq,
    at: place.at,
    turnId: at.turnId,
    explanation: textOf(params.explanation),
    steps,
  })
}

const asked: Fold = (list, { params, ...at }) => {
  const approvalId = String(params.approvalId)
  const key = `asked:${approvalId}`
  const place = list.get(key) ?? { key, ...at }
  const { by, actor, answer, why } = params
  list.put({
    kind: 'asked',
    key,
    seq: place.seq,
    at: place.at,
    turnId: null,
    approvalId,
    title: textOf(params.title) ?? 'A question',
    status: String(params.status),
    by: textOf(by),
    actor: textOf(actor),
    answer,
    why: textOf(why),
  })
}

/** A sentence in the flow; none when there is nothing to say. */
function note(text: (params: Params) => string | null): Fold {
  return (list, { params, ...at }) => {
    const said = text(params)
    // Codex warns again in every turn; once is enough.
    if (said !== null && !list.get(`note:${said}`))
      list.put({ kind: 'note', key: `note:${said}`, text: said, ...at })
  }
}

const warned = note(({ message, summary, details }) => textOf(message) ?? textOf(summary) ?? textOf(details))

export const FOLDS: Readonly<Record<string, Fold>> = {
  'item/started': started,
  'item/completed': completed,
  'item/agentMessage/delta': delta('agentMessage'),
  'item/plan/delta': delta('plan'),
  'item/commandExecution/outputDelta': delta('commandExecution'),
  'item/mcpToolCall/progress': delta('mcpToolCall', newParagraph),
  'item/reasoning/summaryTextDelta': delta('reasoning'),
  'item/reasoning/summaryPartAdded': delta('reasoning', newParagraph),
  'item/reasoning/textDelta': delta('reasoning'),
  'turn/completed': turnCompleted,
  'turn/plan/updated': planned,
  error: failed,
  warning: warned,
  configWarning: warned,
  guardianWarning: warned,
  deprecationNotice: warned,
  'thread/compacted': note(() => 'The history was made shorter to fit the model.'),
  'model/rerouted': note(
    ({ fromModel, toModel }) => `The model was changed from ${fromModel} to ${toModel}.`,
  ),
  'mcpServer/startupStatus/updated': note(({ name, status, error }) =>
    status === 'failed'
      ? `The MCP server ${name} did not start: ${textOf(error) ?? 'no reason given'}`
      : null,
  ),
  'drawbridge/approval': asked,
  'drawbridge/message': note(({ status, text, why, mode }) =>
    status === 'failed' ? `A message was not delivered (${mode}): “${text}”${why ? `, ${why}` : ''}` : null,
  ),
  'drawbridge/incident': note(({ message }) => textOf(message)),
}

function itemOf({ item }: Params): Item | null {
  const { id, type } = asParams(item)
  return typeof id === 'string' && typeof type === 'string' ? (item as Item) : null
}
