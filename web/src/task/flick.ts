// While somebody flicks through a long transcript, what flies past is drawn plainly; it is made rich where they stop.
import { createContext, type RefObject, useEffect, useRef, useState } from 'react'

const FAST_PX_PER_MS = 4
const REST_MS = 120

export const FlickContext = createContext(false)

/** Whether the element is being scrolled faster than anybody reads; and what to call when it scrolls. */
export function useFlick(element: RefObject<HTMLElement | null>): [boolean, () => void] {
  const [isFlicking, setFlicking] = useState(false)
  const last = useRef({ top: 0, at: 0 })
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const onScroll = () => {
    const top = element.current?.scrollTop ?? 0
    const at = performance.now()
    const speed = Math.abs(top - last.current.top) / Math.max(1, at - last.current.at)
    last.current = { top, at }
    if (speed > FAST_PX_PER_MS) setFlicking(true)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setFlicking(false), REST_MS)
  }
  return [isFlicking, onScroll]
}
