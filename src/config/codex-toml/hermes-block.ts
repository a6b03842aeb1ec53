// The part of config.toml that Hermes writes. Whoever imports from Hermes has it replaced by ours.
import { sortOut, type TomlNode } from './sort-out.ts'
import { readToml, type TomlText } from './toml-text.ts'

const START = '# managed by hermes-agent — `hermes codex-runtime migrate` regenerates this section'
const END = '# end hermes-agent managed section'
const OWN_TABLES = new Set(['mcp_servers', 'plugins', 'permissions'])

/**
 * The text without Hermes' section, and that section. One without an end (as it was first written) goes on to the first
 * table that Hermes does not write; an end alone is dropped alone, because Codex deletes comments with what is below them.
 * Only servers go: what else is there (a default profile, permissions, plugins, settings that Codex wrote) stays.
 */
export function withoutHermesBlock(whole: string): {
  readonly text: string
  readonly section: string | null
} {
  const toml = readToml(whole)
  const { bom, text, commentLines } = toml
  const first = commentLines.find((line) => line.text.trimEnd() === START)
  const last = commentLines.find((line) => line.text.trimEnd() === END && line.start >= (first?.start ?? 0))
  if (!first && !last) return { text: whole, section: null }
  if (!first) return { text: bom + cut(text, last!.start, last!.end), section: null }
  const end = last?.end ?? oldEnd(toml, first.end)
  const isOurs = (node: TomlNode) => node.type === 'TOMLTable' && node.resolvedKey[0] === 'mcp_servers'
  const inside = [first.end, last?.start ?? end] as const
  const { ours, keys, tables } = sortOut(toml, { inside, isOurs })
  const above = text.slice(0, first.start) + keys
  return { text: bom + trimmedSeam(above, tables + text.slice(end)), section: ours }
}

function oldEnd({ text, nodes }: TomlText, from: number): number {
  const next = nodes.find(
    (node) =>
      node.type === 'TOMLTable' && node.range[0] >= from && !OWN_TABLES.has(String(node.resolvedKey[0])),
  )
  return next ? text.lastIndexOf('\n', next.range[0]) + 1 : text.length
}

function cut(text: string, start: number, end: number): string {
  return text.slice(0, start) + text.slice(end)
}

/** One blank line where the section was, none at the ends of the file. */
function trimmedSeam(above: string, below: string): string {
  const before = above.replace(/(?:\r?\n)+$/, (ends) => (ends.includes('\r') ? '\r\n' : '\n'))
  const after = below.replace(/^(?:[ \t]*\r?\n)+/, '')
  if (before.trim() === '' || after === '') return (before.trim() === '' ? '' : before) + after
  return `${before}${before.endsWith('\r\n') ? '\r\n' : '\n'}${after}`
}
