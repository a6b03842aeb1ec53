// Items: begun, written, completed.
import type { Fold } from './fold.ts'
import { asParams, type Params, textOf } from './params.ts'
import type { Item, ItemRow } from './row.ts'
import { retriesAreOver } from './turn-folds.ts'

export const started: Fold = (list, { params, ...at }) => {
  const item = itemOf(params)
  if (item === null) return
  retriesAreOver(list, at.turnId)
  const known = list.get(`item:${item.id}`)
  if (known) return
  list.put({ kind: 'item', key: `item:${item.id}`, item, isOpen: true, live: '', isCut: false, ...at })
}

/** Supersedes what was heard of the item before. One that was never seen to start is taken in too. */
export const completed: Fold = (list, { params, ...at }) => {
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
export function delta(type: string, before: (row: ItemRow, params: Params) => string = () => ''): Fold {
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

export const newParagraph = ({ live }: ItemRow) => (live === '' || live.endsWith('\n\n') ? '' : '\n\n')

function itemOf({ item }: Params): Item | null {
  const { id, type } = asParams(item)
  return typeof id === 'string' && typeof type === 'string' ? (item as Item) : null
}
