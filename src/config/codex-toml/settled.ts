import { importedNodes } from './block-contents.ts'
import { blockSpan } from './managed-block.ts'
import { sortOut } from './sort-out.ts'
import { lineEnd, readToml } from './toml-text.ts'

/** The same config.toml with only what was imported in the managed block: keys of others stand above it, tables below. */
export function settled(whole: string): string {
  const toml = readToml(whole)
  const span = blockSpan(toml)
  if (span === null) return whole
  const { text, bom, eol } = toml
  const { ours, keys, tables } = sortOut(toml, { inside: span.inside, isOurs: importedNodes(toml) })
  if (keys === '' && tables === '') return whole
  const [from, to] = span.inside
  const start = text.lastIndexOf('\n', from - 2) + 1
  const end = lineEnd(text, to)
  const endLine = text.slice(to, end).trimEnd() + eol
  const below = text.slice(end).replace(/^[ \t]*\r?\n/, '')
  const block = text.slice(start, from) + ours + endLine
  const hasBelow = tables !== '' || end < text.length
  return bom + text.slice(0, start) + keys + block + (hasBelow ? eol : '') + tables + below
}
