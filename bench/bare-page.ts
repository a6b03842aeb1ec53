import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { build } from 'vite'

const HTML = '<!doctype html><div id="root"></div><script type="module" src="/main.js"></script>'
const SCRIPT = `import { createElement } from 'react'
import { createRoot } from 'react-dom/client'
createRoot(document.getElementById('root')).render(createElement('button', null, 'Hello'))
`

/** React and one button, built as the console is. Resolves to its folder. */
export async function buildBarePage(): Promise<string> {
  const root = path.resolve('node_modules/.cache/bare-page')
  await mkdir(root, { recursive: true })
  await Promise.all([
    writeFile(path.join(root, 'index.html'), HTML),
    writeFile(path.join(root, 'main.js'), SCRIPT),
  ])
  await build({ root, logLevel: 'error', configFile: false, build: { outDir: 'out', emptyOutDir: true } })
  return path.join(root, 'out')
}
