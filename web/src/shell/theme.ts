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
