import { useSyncExternalStore } from 'react'

export type Theme = 'light' | 'dark'

const KEY = 'drawbridge.theme'

export function currentTheme(): Theme {
  return document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light'
}

/** Chosen by hand, it stays; until then it follows the system. */
export function chooseTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme
  try {
    localStorage.setItem(KEY, theme)
  } catch {
    // Holds until the page is closed.
  }
}

export function followSystemTheme(): void {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', (event) => {
    if (localStorage.getItem(KEY) === null)
      document.documentElement.dataset.theme = event.matches ? 'dark' : 'light'
  })
}

/** For what is painted, and does not change with the page by itself. */
export function useTheme(): Theme {
  return useSyncExternalStore(onThemeChange, currentTheme)
}

function onThemeChange(listener: () => void): () => void {
  const observer = new MutationObserver(listener)
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  return () => observer.disconnect()
}
