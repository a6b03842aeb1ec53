// Whether an answer given now, by key or by pointer, is meant for this card and for what it shows
// (docs/decisions/2026-11-16-approvals-in-the-console.md).
import { clipOf, isOnTop, isWithin, scrollerOf } from './on-screen.ts'
import { SeenRanges } from './seen-ranges.ts'

/** Nobody has read a question in less, and a finger that is on its way is not called back in less. */
const SETTLE_MS = 500

export interface GateState {
  /** It has only just come, changed or moved: buttons wait a moment, too. */
  readonly isSettling: boolean
  /** `ready`: a key answers it. `unseen`: it has the focus, and not all of it has been on the screen. */
  readonly keys: 'off' | 'unseen' | 'ready'
}

export const CLOSED: GateState = { isSettling: true, keys: 'off' }

interface Place {
  readonly top: number
  readonly inContent: number
  readonly contentHeight: number
  readonly height: number
}

export class CardGate {
  readonly #card: HTMLElement
  readonly #seen = new SeenRanges()
  #place: Place | null = null
  #movedAt = performance.now()
  /** Since when it has had the focus; null while it has not. */
  #focusedAt: number | null = null

  constructor(card: HTMLElement) {
    this.#card = card
  }

  /** What it shows is another thing now. */
  changed(): void {
    this.#movedAt = performance.now()
    this.#seen.clear()
  }

  /** Looks at where the card is. Often enough: on every scroll, and a few times a second. */
  look(): GateState {
    const now = performance.now()
    this.#noticeMoves(now)
    const hasFocus = document.hasFocus() && this.#card.contains(document.activeElement)
    if (!hasFocus) this.#focusedAt = null
    else if (this.#focusedAt === null) {
      this.#focusedAt = now
      this.#seen.clear()
    }
    const isSettling = now - this.#movedAt < SETTLE_MS
    if (this.#focusedAt === null) return { isSettling, keys: 'off' }
    const isAllSeen = this.#seeOn()
    const isRead = !isSettling && now - this.#focusedAt >= SETTLE_MS
    return { isSettling, keys: isAllSeen && isRead ? 'ready' : isAllSeen ? 'off' : 'unseen' }
  }

  /** A move that the reader did not make: the card, or what it stands in, is elsewhere or has another size. */
  #noticeMoves(now: number): void {
    const place = placeOf(this.#card)
    const before = this.#place
    this.#place = place
    if (!before) return
    if (place.height !== before.height) return this.changed()
    const isElsewhere = Math.abs(place.top - before.top) > 1
    const isMade = place.inContent !== before.inContent || place.contentHeight !== before.contentHeight
    if (isElsewhere && isMade) this.#movedAt = now
  }

  /** Takes note of what is on the screen now. True: all of it has been, and the answers are. */
  #seeOn(): boolean {
    const card = this.#card.getBoundingClientRect()
    const clip = clipOf(this.#card)
    const part = {
      left: card.left,
      right: card.right,
      top: Math.max(card.top, clip.top),
      bottom: Math.min(card.bottom, clip.bottom),
    }
    if (!isWithin(part, clip) || part.bottom <= part.top || !isOnTop(this.#card, part)) return false
    this.#seen.add(part.top - card.top, part.bottom - card.top)
    if (card.height <= clip.bottom - clip.top) return isWithin(card, clip)
    const answers = this.#card.querySelector('[data-answers]')?.getBoundingClientRect()
    return answers !== undefined && isWithin(answers, clip) && this.#seen.covers(0, card.height)
  }
}

function placeOf(card: HTMLElement): Place {
  const { top, height } = card.getBoundingClientRect()
  const scroller = scrollerOf(card)
  const inContent = Math.round(top - scroller.getBoundingClientRect().top + scroller.scrollTop)
  return { top, height: Math.round(height), inContent, contentHeight: scroller.scrollHeight }
}
