// The part of config.toml that Drawbridge writes: between two lines of its own, before the first table, because a key of
// the root can stand nowhere else. Taking it out gives back the text as it was, byte for byte.
import { lineEnd, readToml, type TomlText } from './toml-text.ts'

export const START =
  '# >>> drawbridge: written by `drawbridge config import`, and again each time; edit elsewhere'
export const END = '# <<< drawbridge'

export interface WithoutBlock {
  readonly text: string
  /** The lines between the markers, with LF; null when there is no block. */
  readonly block: string | null
}

/** A marker without its other one is dropped alone: what was between them is the user's from then on. */
export function withoutBlock(whole: string): WithoutBlock {
  const toml = readToml(whole)
  const span = blockSpan(toml)
  if (span === null) return { text: toml.bom + withoutOrphans(toml), block: null }
  const { text, bom } = toml
  const inside = text.slice(span.inside[0], span.inside[1]).replaceAll('\r\n', '\n')
  const rest = text.slice(0, span.start) + text.slice(span.end)
  const next = withoutBlock(bom + rest)
  return { text: next.text, block: inside + (next.block ?? '') }
}

/** Puts the lines into a text that has no block. */
export function withBlock(whole: string, lines: readonly string[]): string {
  const { bom, text, eol, nodes, commentLines } = readToml(whole)
  const block = [START, ...lines, END].join(eol)
  const firstTable = nodes.find(({ type }) => type === 'TOMLTable')
  if (firstTable) {
    const at = aboveComments(text, lineStart(text, firstTable.range[0]), commentLines)
    return `${bom}${text.slice(0, at)}${block}${eol}${eol}${text.slice(at)}`
  }
  if (text === '') return `${bom}${block}${eol}`
  // A text that ends without a line end still does so afterwards: that is how it is known when the block is taken out.
  return text.endsWith('\n') ? `${bom}${text}${eol}${block}${eol}` : `${bom}${text}${eol}${eol}${block}`
}

/** Comments right above a table belong to it, unless the file begins with them. */
function aboveComments(text: string, at: number, comments: TomlText['commentLines']): number {
  let top = at
  for (const comment of comments.toReversed())
    if (comment.end === top && !isMarker(comment.text)) top = comment.start
  return top === 0 && !isAllSpace(text.slice(0, at)) ? at : top
}

interface Span {
  readonly start: number
  readonly end: number
  readonly inside: readonly [number, number]
}

export function blockSpan({ text, commentLines }: TomlText): Span | null {
  const ends = commentLines.filter((line) => line.text.trimEnd() === END)
  for (const last of ends) {
    const first = commentLines.findLast((line) => line.end <= last.start && isMarker(line.text))
    if (!first || first.text.trimEnd() !== START) continue
    const inside = [first.end, last.start] as const
    const blankBelow = blankLineAt(text, last.end)
    if (blankBelow !== null) return { start: first.start, end: blankBelow, inside }
    if (last.end < text.length) return { start: first.start, end: last.end, inside }
    return { start: seamAbove(text, first.start), end: last.end, inside }
  }
  return null
}

/** At the end of a file the blank line is above; and where the file ends without a line end, the text did, too. */
function seamAbove(text: string, start: number): number {
  const above = blankLineAbove(text, start)
  return text.endsWith('\n') ? above : withoutLineEnd(text, above)
}

function blankLineAt(text: string, at: number): number | null {
  const end = lineEnd(text, at)
  return end > at && text[end - 1] === '\n' && isAllSpace(text.slice(at, end)) ? end : null
}

function blankLineAbove(text: string, at: number): number {
  const previous = withoutLineEnd(text, at)
  const isBlank = at > 0 && (previous === 0 || text[previous - 1] === '\n')
  return isBlank ? previous : at
}

function withoutLineEnd(text: string, at: number): number {
  if (text[at - 1] !== '\n') return at
  return text[at - 2] === '\r' ? at - 2 : at - 1
}

function withoutOrphans({ text, commentLines }: TomlText): string {
  return commentLines
    .filter((line) => isMarker(line.text))
    .reduceRight((rest, { start, end }) => rest.slice(0, start) + rest.slice(end), text)
}

function isMarker(line: string): boolean {
  return line.trimEnd() === START || line.trimEnd() === END
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1
}

function isAllSpace(text: string): boolean {
  return text.trim() === ''
}
