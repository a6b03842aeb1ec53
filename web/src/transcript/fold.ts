import type { Params } from './params.ts'
import type { RowList } from './row-list.ts'

interface FoldContext {
  readonly seq: number
  readonly at: number
  readonly turnId: string | null
  readonly params: Params
}

export type Fold = (list: RowList, context: FoldContext) => void
