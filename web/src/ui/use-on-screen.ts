import { type RefObject, useEffect, useState } from 'react'

/** A page that is still being filled moves what is below out of sight. */
const STAYS_MS = 500

/** Whether any of it has been on screen, and not only in passing; once true, it stays so. */
export function useOnScreen(ref: RefObject<Element | null>): boolean {
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    if (isSeen || ref.current === null) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const observer = new IntersectionObserver((entries) => {
      clearTimeout(timer)
      if (entries.at(-1)?.isIntersecting) timer = setTimeout(() => setSeen(true), STAYS_MS)
    })
    observer.observe(ref.current)
    return () => {
      clearTimeout(timer)
      observer.disconnect()
    }
  }, [ref, isSeen])
  return isSeen
}
