// What each event does to the rows. A table: a method that is not in it is shown raw, unless it is silent.
import type { Fold } from './fold.ts'
import { hookChanged, hookWrote } from './hook-folds.ts'
import { completed, delta, newParagraph, started } from './item-folds.ts'
import { listOf, numberOf, type Params, textOf } from './params.ts'
import { failed, taskChanged, turnCompleted } from './turn-folds.ts'

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
    question: textOf(params.kind),
    title: textOf(params.title) ?? 'A question',
    status: String(params.status),
    by: textOf(by),
    actor: textOf(actor),
    answer,
    why: textOf(why),
  })
}

/** An item that completed so large has its place; anything else comes where it came. */
const oversize: Fold = (list, { params, ...at }) => {
  const item = params.method === 'item/completed' ? list.get(`item:${params.itemId}`) : undefined
  const place = item ?? { key: `oversize:${at.seq}`, ...at }
  list.put({
    kind: 'oversize',
    key: place.key,
    seq: at.seq,
    at: place.at,
    turnId: place.turnId,
    method: textOf(params.method) ?? 'an event',
    bytes: numberOf(params.bytes) ?? 0,
    head: textOf(params.head) ?? '',
    hasWhole: params.pointer !== null,
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
  'drawbridge/oversize': oversize,
  'drawbridge/task': taskChanged,
  'drawbridge/account': note(({ why }) => textOf(why)),
  'drawbridge/hook': hookChanged,
  'drawbridge/hook-output': hookWrote,
  'drawbridge/upload': note(({ files, isTakenBack, actor }) => {
    const names = Array.isArray(files) ? files.map((file) => textOf(Object(file).name) ?? 'a file') : []
    return names.length > 0
      ? `${names.join(', ')} ${isTakenBack === true ? 'taken back' : 'uploaded'} by ${textOf(actor) ?? 'somebody'}`
      : null
  }),
  // Of these the call itself is shown: here only what came of it.
  'drawbridge/deliverable': note(({ status, number, title, actor, words }) => {
    if (status === 'pending') return null
    const what = status === 'accepted' ? 'accepted' : 'sent back'
    return `Deliverable ${number}, ${title}, was ${what} by ${actor}${textOf(words) === null ? '' : `: ${words}`}`
  }),
  'drawbridge/caller-message': note(({ status, name, actor }) =>
    status === 'answered' ? `${actor} answered the message ${name}` : null,
  ),
  'drawbridge/incident': note(({ message }) => textOf(message)),
}
