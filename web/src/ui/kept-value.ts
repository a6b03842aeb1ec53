// What one person chose in one browser: how they like to see things, what they used last.
import { useState } from 'react'

const PREFIX = 'drawbridge.'

export function readKept<T>(name: string, fallback: T): T {
  try {
    const text = localStorage.getItem(PREFIX + name)
    return text === null ? fallback : (JSON.parse(text) as T)
  } catch {
    return fallback
  }
}

export function keep(name: string, value: unknown): void {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value))
  } catch {
    // A browser that keeps nothing: the choice holds until the page is closed.
  }
}

/** A state that is there again after a reload. */
export function useKept<T>(name: string, fallback: T): [T, (value: T) => void] {
  const [value, setValue] = useState(() => readKept(name, fallback))
  const change = (next: T) => {
    setValue(next)
    keep(name, next)
  }
  return [value, change]
}
