// Where something is on the screen, and whether something else lies over it.

export interface Box {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

const SLACK_PX = 1

export function isWithin(inner: Box, outer: Box): boolean {
  return (
    inner.left >= outer.left - SLACK_PX &&
    inner.right <= outer.right + SLACK_PX &&
    inner.top >= outer.top - SLACK_PX &&
    inner.bottom <= outer.bottom + SLACK_PX
  )
}

/** The part of the screen in which an element can be seen: the window, zoomed as it is, and every box that cuts it. */
export function clipOf(element: Element): Box {
  const { offsetLeft = 0, offsetTop = 0, width = innerWidth, height = innerHeight } = visualViewport ?? {}
  let clip: Box = { left: offsetLeft, right: offsetLeft + width, top: offsetTop, bottom: offsetTop + height }
  for (let box = element.parentElement; box && box !== document.documentElement; box = box.parentElement) {
    if (getComputedStyle(box).overflow === 'visible') continue
    const { left, right, top, bottom } = box.getBoundingClientRect()
    clip = {
      left: Math.max(clip.left, left),
      right: Math.min(clip.right, right),
      top: Math.max(clip.top, top),
      bottom: Math.min(clip.bottom, bottom),
    }
  }
  return clip
}

/** What an element is scrolled by. */
export function scrollerOf(element: Element): Element {
  for (let box = element.parentElement; box; box = box.parentElement)
    if (/^(?:auto|scroll)$/.test(getComputedStyle(box).overflowY)) return box
  return document.scrollingElement ?? document.documentElement
}

const INSET_PX = 12

/** Whether nothing lies over it: a dialog, a panel, a banner. Looked at in its corners and its middle. */
export function isOnTop(element: Element, { left, right, top, bottom }: Box): boolean {
  const inset = Math.min(INSET_PX, (right - left) / 2, (bottom - top) / 2)
  const points = [
    [left + inset, top + inset],
    [right - inset, top + inset],
    [left + inset, bottom - inset],
    [right - inset, bottom - inset],
    [(left + right) / 2, (top + bottom) / 2],
  ] as const
  return points.every(([x, y]) => element.contains(document.elementFromPoint(x, y)))
}
