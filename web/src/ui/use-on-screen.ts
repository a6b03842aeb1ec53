import { type RefObject, useEffect, useState } from 'react'

interface Options {
  /** Nothing is observed before: a page that is still being filled moves what is below out of sight. */
  readonly isSettled: boolean
}

/** Whether any of the element has been on screen; once true, it stays true. */
export function useOnScreen(ref: RefObject<Element | null>, { isSettled }: Options): boolean {
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    if (isSeen || !isSettled || ref.current === null) return
    const observer = new IntersectionObserver((entries) => {
      if (entries.at(-1)?.isIntersecting) setSeen(true)
    })
    observer.observe(ref.current)
    return () => observer.disconnect()
  }, [ref, isSeen, isSettled])
  return isSeen
}
