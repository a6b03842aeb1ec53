import { useKeys } from '../shell/keys.ts'

/** `j` and `k` give the focus to the next and the previous open question of the page. */
export function useCardSteps(): void {
  useKeys({ j: () => step(1), k: () => step(-1) })
}

function step(by: 1 | -1): void {
  const cards = [...document.querySelectorAll<HTMLElement>('article[data-question="open"]')]
  const here = document.activeElement?.closest('article[data-question]') ?? null
  const next = here === null ? cards[0] : nextTo(here, by === 1 ? cards : cards.reverse(), by)
  next?.focus({ preventScroll: true })
  next?.scrollIntoView({ block: 'nearest' })
}

function nextTo(here: Element, cards: readonly HTMLElement[], by: 1 | -1): HTMLElement | undefined {
  const side = by === 1 ? Node.DOCUMENT_POSITION_FOLLOWING : Node.DOCUMENT_POSITION_PRECEDING
  return cards.find((card) => (here.compareDocumentPosition(card) & side) !== 0)
}
