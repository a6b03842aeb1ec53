// How turns end, and what went wrong in them.
import type { Fold } from './fold.ts'
import { asParams, numberOf, textOf } from './params.ts'
import type { RowList } from './row-list.ts'

export const turnCompleted: Fold = (list, { params, ...at }) => {
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
    message: textOf(error.message) ?? 'Something went wrong.',
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
