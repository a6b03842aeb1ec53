// Before the first paint, so that a dark page never flashes white. A file of its own: the page allows no inline script.
;(() => {
  let chosen = null
  try {
    chosen = localStorage.getItem('drawbridge.theme')
  } catch {}
  const isDark = chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
})()
