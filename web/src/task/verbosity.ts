// How much a viewer wants to see of tools and thinking. A taste of theirs, not of the task.
import { createContext, useContext, useState } from 'react'
import type { Row } from '../transcript/row.ts'

export type Level = 'hidden' | 'summary' | 'full'

export interface Verbosity {
  readonly tools: Level
  readonly thinking: Level
}

export const DEFAULT_VERBOSITY: Verbosity = { tools: 'summary', thinking: 'summary' }

const TALK = new Set([
  'userMessage',
  'agentMessage',
  'plan',
  'enteredReviewMode',
  'exitedReviewMode',
  'imageGeneration',
])

/** Questions, errors and words are always shown. */
export function isShown(row: Row, { tools, thinking }: Verbosity): boolean {
  if (row.kind === 'raw' || row.kind === 'agent') return tools !== 'hidden'
  if (row.kind !== 'item') return true
  if (row.item.type === 'reasoning') return thinking !== 'hidden' && (row.isOpen || hasThoughts(row.item))
  return tools !== 'hidden' || TALK.has(row.item.type)
}

function hasThoughts({ summary, content }: { readonly [field: string]: unknown }): boolean {
  return (Array.isArray(summary) && summary.length > 0) || (Array.isArray(content) && content.length > 0)
}

/** What was opened or closed by hand stays so when the row leaves the screen and comes back. */
export class OpenRows {
  readonly #chosen = new Map<string, boolean>()

  get(key: string, fallback: boolean): boolean {
    return this.#chosen.get(key) ?? fallback
  }

  set(key: string, isOpen: boolean): void {
    this.#chosen.set(key, isOpen)
  }
}

interface View {
  readonly verbosity: Verbosity
  readonly open: OpenRows
  readonly taskId: string
  readonly cwd: string
}

export const ViewContext = createContext<View>({
  verbosity: DEFAULT_VERBOSITY,
  open: new OpenRows(),
  taskId: '',
  cwd: '',
})

export function useOpenRow(key: string, fallback: boolean): [boolean, (isOpen: boolean) => void] {
  const { open } = useContext(ViewContext)
  const [, redraw] = useState(0)
  const change = (isOpen: boolean) => {
    open.set(key, isOpen)
    redraw((count) => count + 1)
  }
  return [open.get(key, fallback), change]
}
