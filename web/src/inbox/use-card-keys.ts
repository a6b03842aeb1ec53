// `a` and `d` for the card that has the focus, and no other (docs/decisions/2026-11-16-approvals-in-the-console.md).
import { type RefObject, useEffect, useRef } from 'react'
import { isTyping } from '../shell/keys.ts'
import type { GateState } from './card-gate.ts'

/** Letters that come this close to others are words that somebody types. */
const TYPING_MS = 250

type Actions = Readonly<Record<string, (() => void) | undefined>>

interface Options {
  readonly look: () => GateState
  /** By key. A key without an action does nothing. */
  readonly actions: Actions
}

export function useCardKeys(card: RefObject<HTMLElement | null>, { look, actions }: Options): void {
  const current = useRef<Options>({ look, actions })
  useEffect(() => {
    current.current = { look, actions }
  })
  useEffect(() => {
    const element = card.current
    if (!element) return
    let typedAt = Number.NEGATIVE_INFINITY
    let timer: ReturnType<typeof setTimeout> | undefined
    const act = (key: string) => {
      const { look: lookNow, actions: now } = current.current
      if (lookNow().keys === 'ready') now[key]?.()
    }
    const onKey = (event: KeyboardEvent) => {
      clearTimeout(timer)
      const isAlone = event.timeStamp - typedAt > TYPING_MS
      typedAt = event.timeStamp
      const { look: lookNow, actions: now } = current.current
      if (!isAlone || !isPlain(event) || now[event.key] === undefined) return
      if (!element.contains(event.target as Node) || lookNow().keys !== 'ready') return
      event.preventDefault()
      timer = setTimeout(() => act(event.key), TYPING_MS)
    }
    // Before anything else hears of it: whatever is pressed next, it is not alone.
    addEventListener('keydown', onKey, { capture: true })
    return () => {
      clearTimeout(timer)
      removeEventListener('keydown', onKey, { capture: true })
    }
  }, [card])
}

function isPlain(event: KeyboardEvent): boolean {
  const { ctrlKey, metaKey, altKey, shiftKey, repeat, isComposing, defaultPrevented, target } = event
  const isModified = ctrlKey || metaKey || altKey || shiftKey
  return !isModified && !repeat && !isComposing && !defaultPrevented && !isTyping(target)
}
