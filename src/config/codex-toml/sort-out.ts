// What stands between two marker lines, sorted into what their owner wrote and what others did. Codex prints new tables
// above the last comment of a file: where that is an end marker, they land between the markers.
import type { TomlText } from './toml-text.ts'

export type TomlNode = TomlText['nodes'][number]

export interface SortedOut {
  /** What stays between the markers. */
  readonly ours: string
  /** Keys of the root and tables of others, each with the comments right above it. */
  readonly keys: string
  readonly tables: string
}

export function sortOut(
  toml: TomlText,
  { inside: [from, to], isOurs }: { inside: readonly [number, number]; isOurs: (node: TomlNode) => boolean },
): SortedOut {
  const { text } = toml
  const within = toml.nodes
    .filter(({ range: [start] }) => start >= from && start < to)
    .map((node) => ({ node, isOurs: isOurs(node) }))
  const starts = within.map(({ node, isOurs: isOwn }) => startOf(node, toml, { from, isOwn }))
  const part = (at: number) => text.slice(starts[at] ?? to, starts[at + 1] ?? to)
  const parts = within.map(({ node, isOurs: isOwn }, at) => ({ node, isOwn, text: part(at) }))
  const joined = (some: typeof parts) => some.map((each) => each.text).join('')
  const others = parts.filter(({ isOwn }) => !isOwn)
  return {
    ours: text.slice(from, starts[0] ?? to) + joined(parts.filter(({ isOwn }) => isOwn)),
    keys: withoutBlankTop(joined(others.filter(({ node }) => node.type === 'TOMLKeyValue'))),
    tables: withoutBlankTop(joined(others.filter(({ node }) => node.type === 'TOMLTable'))),
  }
}

/** Comments right above belong to a node; blank lines above go with one that is moved. */
function startOf(
  node: TomlNode,
  { text, commentLines }: TomlText,
  { from, isOwn }: { from: number; isOwn: boolean },
): number {
  let start = text.lastIndexOf('\n', node.range[0] - 1) + 1
  for (const comment of commentLines.toReversed())
    if (comment.end === start && comment.start >= from) start = comment.start
  if (isOwn) return start
  const above = text.slice(from, start)
  return start - (/(?<![^\n])(?:[ \t]*\r?\n)+$/.exec(above)?.[0].length ?? 0)
}

function withoutBlankTop(text: string): string {
  return text.replace(/^(?:[ \t]*\r?\n)+/, '')
}
