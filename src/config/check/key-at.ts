// The key of config.toml that codex complains about, by line and column, and the text without it.
import type { AST } from 'toml-eslint-parser'
import { readToml } from '../codex-toml/index.ts'

export interface KeyAt {
  /** The keys that lead to it, itself last. */
  readonly path: readonly string[]
  /** The whole of it: a key with its value, or a table with all its lines. */
  readonly range: readonly [number, number]
  readonly isInline: boolean
}

/** Both from 1, as codex counts. null when there is no key or value there. */
export function keyAt(text: string, line: number, column: number): KeyAt | null {
  const entries = allEntries(readToml(text).nodes, [])
  const onLine = entries.filter(({ keys }) => keys.some(({ loc }) => loc.start.line === line))
  const exact = entries.filter(({ keys, value }) =>
    [...keys, ...(value ? [value] : [])].some((node) => covers(node, line, column)),
  )
  // The innermost is the last one.
  const found = exact.at(-1) ?? onLine[0]
  if (!found) return null
  const at = found.keys.findIndex((key) => covers(key, line, column))
  const path = at === -1 ? found.path : found.path.slice(0, found.path.length - found.keys.length + at + 1)
  return { path, range: found.range, isInline: found.isInline }
}

interface Entry {
  readonly keys: readonly (AST.TOMLBare | AST.TOMLQuoted)[]
  readonly value: AST.TOMLContentNode | null
  readonly path: readonly string[]
  readonly range: readonly [number, number]
  readonly isInline: boolean
}

function allEntries(
  nodes: readonly (AST.TOMLKeyValue | AST.TOMLTable)[],
  above: readonly string[],
  isInline = false,
): Entry[] {
  return nodes.flatMap((node): Entry[] => {
    const { keys } = node.key
    if (node.type === 'TOMLTable') {
      const path = keys.map(nameOf)
      return [{ keys, value: null, path, range: node.range, isInline }, ...allEntries(node.body, path)]
    }
    const path = [...above, ...keys.map(nameOf)]
    return [{ keys, value: node.value, path, range: node.range, isInline }, ...entriesIn(node.value, path)]
  })
}

function entriesIn(value: AST.TOMLContentNode, path: readonly string[]): Entry[] {
  if (value.type === 'TOMLInlineTable') return allEntries(value.body, path, true)
  return value.type === 'TOMLArray' ? value.elements.flatMap((each) => entriesIn(each, path)) : []
}

function nameOf(key: AST.TOMLBare | AST.TOMLQuoted): string {
  return key.type === 'TOMLBare' ? key.name : key.value
}

function covers({ loc }: AST.TOMLNode, line: number, column: number): boolean {
  const isAfterStart = line > loc.start.line || (line === loc.start.line && column - 1 >= loc.start.column)
  const isBeforeEnd = line < loc.end.line || (line === loc.end.line && column - 1 < loc.end.column)
  return isAfterStart && isBeforeEnd
}

/** With blanks in its place, so that all else keeps its line and column. */
export function blanked(text: string, { range: [from, to], isInline }: KeyAt): string {
  const [start, end] = isInline ? withComma(text, from, to) : [from, to]
  const hole = text.slice(start, end).replace(/[^\r\n]/g, ' ')
  return text.slice(0, start) + hole + text.slice(end)
}

/** In an inline table the comma beside it has to go, too. */
function withComma(text: string, from: number, to: number): [number, number] {
  const after = /^\s*,/.exec(text.slice(to))
  if (after) return [from, to + after[0].length]
  const before = /,\s*$/.exec(text.slice(0, from))
  return before ? [from - before[0].length, to] : [from, to]
}
