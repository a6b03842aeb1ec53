import { type RefObject, useEffect, useState } from 'react'
import { CardGate, CLOSED, type GateState } from './card-gate.ts'

const LOOK_MS = 200

interface Options {
  /** Nothing is looked at for a question that has been answered. */
  readonly isOpen: boolean
  /** What the card shows: another text is another question. */
  readonly content: string
}

export interface Gate extends GateState {
  /** Looks again, now. */
  readonly look: () => GateState
}

export function useCardGate(card: RefObject<HTMLElement | null>, { isOpen, content }: Options): Gate {
  const [state, setState] = useState<GateState>(CLOSED)
  const [gate, setGate] = useState<CardGate | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: other content begins anew, like a card that has just come.
  useEffect(() => {
    if (!isOpen || !card.current) return setGate(null)
    const next = new CardGate(card.current)
    setGate(next)
    setState(CLOSED)
    const look = () => {
      const found = next.look()
      setState((before) => (isSame(before, found) ? before : found))
    }
    const timer = setInterval(look, LOOK_MS)
    const events = ['scroll', 'resize', 'focusin', 'focusout', 'focus', 'blur'] as const
    for (const event of events) addEventListener(event, look, { capture: true, passive: true })
    return () => {
      clearInterval(timer)
      for (const event of events) removeEventListener(event, look, { capture: true })
    }
  }, [card, isOpen, content])
  return { ...state, look: () => gate?.look() ?? CLOSED }
}

function isSame(a: GateState, b: GateState): boolean {
  return a.isSettling === b.isSettling && a.keys === b.keys
}
