// How turns end, and what went wrong in them.
import { spokenText } from '../../../src/util/spoken-text.ts'
import type { Fold } from './fold.ts'
import { asParams, numberOf, type Params, textOf } from './params.ts'
import type { Row } from './row.ts'
import type { RowList } from './row-list.ts'

/** What may stand between the end of a turn and what its task became. */
const NEAR_END_ROWS = 8

export const turnCompleted: Fold = (list, { params, ...at }) =>
  endTurn(list, asParams(params.turn), { key: `end:${at.turnId}`, ...at })

/**
 * The end of a turn repeats what was said in it, and can be too large for the log. How it ended then stands in what the
 * task became, and is told in its place.
 */
export const taskChanged: Fold = (list, { params }) => {
  const { turnId, codexSaid } = asParams(params.evidence)
  const untold = list.rows
    .slice(-NEAR_END_ROWS)
    .findLast((row) => row.kind === 'oversize' && row.method === 'turn/completed')
  if (!untold || typeof turnId !== 'string') return
  const { key, seq, at } = untold
  endTurn(list, { status: codexSaid, error: { message: params.reason } }, { key, seq, at, turnId })
}

function endTurn(list: RowList, turn: Params, end: Pick<Row, 'key' | 'seq' | 'at' | 'turnId'>): void {
  const status = textOf(turn.status) ?? 'completed'
  const error = asParams(turn.error)
  const { turnId } = end
  for (const row of list.openItems())
    if (row.turnId === turnId) list.put({ ...row, isOpen: false, isCut: true })
  if (status === 'failed' && list.get(`error:${turnId}`) === undefined)
    list.put({
      ...end,
      kind: 'error',
      key: `error:${turnId}`,
      message: spokenText(textOf(error.message) ?? 'The turn failed.'),
      details: textOf(error.additionalDetails),
      willRetry: false,
      attempts: 1,
      isOver: false,
    })
  else if (status === 'failed') retriesGaveUp(list, turnId)
  else retriesAreOver(list, turnId)
  list.put({ ...end, kind: 'turn-end', status, durationMs: numberOf(turn.durationMs) })
}

export const failed: Fold = (list, { params, ...at }) => {
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
    message: spokenText(textOf(error.message) ?? 'Something went wrong.'),
    details: textOf(error.additionalDetails),
    willRetry: params.willRetry === true,
    attempts,
    isOver: false,
  })
}

export function retriesAreOver(list: RowList, turnId: string | null): void {
  const row = list.get(`error:${turnId}`)
  if (row?.kind === 'error' && row.willRetry && !row.isOver) list.put({ ...row, isOver: true })
}

function retriesGaveUp(list: RowList, turnId: string | null): void {
  const row = list.get(`error:${turnId}`)
  if (row?.kind === 'error') list.put({ ...row, willRetry: false, isOver: false })
}
