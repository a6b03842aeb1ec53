import type { protocol } from '../../codex/index.ts'
import { type Line, visibleCode, visibleLine } from '../screen/index.ts'

type Change = protocol.v2.FileUpdateChange

/** What would become of these files, line by line. */
export function diffLines(changes: readonly Change[]): Line[] {
  return changes.flatMap((change) => [{ text: heading(change), style: 'bold' }, ...changedLines(change)])
}

function heading({ kind, path }: Change): string {
  const moved = kind.type === 'update' && kind.move_path ? ` → ${kind.move_path}` : ''
  return visibleLine(visibleCode(`${kind.type} ${path}${moved}`))
}

/** codex gives a diff of a file that changes, and the text of one that is added or deleted. */
function changedLines({ kind, diff }: Change): Line[] {
  const lines = diff.replace(/\n$/, '').split('\n').map(visibleCode)
  if (kind.type === 'add') return lines.map((line) => ({ text: `+${line}`, style: 'green' }))
  if (kind.type === 'delete') return lines.map((line) => ({ text: `-${line}`, style: 'red' }))
  return lines.map((line) => ({ text: line, style: styleOf(line) }))
}

function styleOf(line: string): Line['style'] {
  if (line.startsWith('+')) return 'green'
  if (line.startsWith('-')) return 'red'
  return line.startsWith('@@') ? 'cyan' : 'dim'
}
