// Keys that work wherever no text is being typed.
import { useEffect } from 'react'

export type KeyActions = Readonly<Record<string, (() => void) | undefined>>

const SEQUENCE_MS = 900

/** `{ j: …, 'g i': … }`. The newest mounted wins for a key that several have. */
export function useKeys(actions: KeyActions): void {
  useEffect(() => {
    layers.push(actions)
    return () => {
      layers.splice(layers.indexOf(actions), 1)
    }
  })
}

const layers: KeyActions[] = []
let prefix = ''
let prefixAt = 0

export function listenForKeys(): () => void {
  const onKey = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
      return
    // A key that is held goes through a list; it does not answer one question after the other.
    if (event.repeat && event.key !== 'j' && event.key !== 'k') return
    const isSequence = prefix !== '' && event.timeStamp - prefixAt < SEQUENCE_MS
    const action = (isSequence && find(`${prefix} ${event.key}`)) || find(event.key)
    prefix = event.key === 'g' ? 'g' : ''
    prefixAt = event.timeStamp
    if (!action) return
    event.preventDefault()
    action()
  }
  addEventListener('keydown', onKey)
  return () => removeEventListener('keydown', onKey)
}

function find(key: string): (() => void) | undefined {
  return layers.findLast((layer) => layer[key] !== undefined)?.[key]
}

export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.isContentEditable || target.closest('[role="dialog"]')) return true
  return target.matches('textarea, select, input:not([type="checkbox"], [type="radio"])')
}
