// The title of the tab: how many questions wait, where one is.
import { useEffect } from 'react'

const NAME = 'Drawbridge'
let place: string | null = null
let openQuestions = 0

function write(): void {
  const count = openQuestions > 0 ? `(${openQuestions}) ` : ''
  document.title = count + (place === null ? NAME : `${place} · ${NAME}`)
}

export function countInTitle(count: number): void {
  openQuestions = count
  write()
}

/** While the caller is on the screen. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    place = title
    write()
    return () => {
      place = null
      write()
    }
  }, [title])
}
