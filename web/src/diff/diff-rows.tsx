import { memo } from 'react'
import { classNames } from '../ui/class-names.ts'
import type { DiffLine } from './parse-diff.ts'
import { type Marked, markChange, sideBySide } from './side-by-side.ts'

const WASH = { added: 'bg-good-wash', removed: 'bg-bad-wash', same: '' } as const
const SIGN = { added: '+', removed: '−', same: ' ' } as const
const WORD = { added: 'bg-good/25 rounded-xs', removed: 'bg-bad/25 rounded-xs', same: '' } as const
const NUMBER = 'inline-block w-10 shrink-0 select-none pr-2 text-right text-soft'

export const UnifiedRows = memo(({ lines }: { readonly lines: readonly DiffLine[] }) => (
  <div className="w-max min-w-full">
    {lines.map((line) => (
      <div key={`${line.oldNumber}:${line.newNumber}`} className={classNames('flex pr-3', WASH[line.kind])}>
        <span className={NUMBER}>{line.oldNumber}</span>
        <span className={NUMBER}>{line.newNumber}</span>
        <span className="w-4 shrink-0 select-none text-soft">{SIGN[line.kind]}</span>
        <span className="whitespace-pre">{line.text || ' '}</span>
      </div>
    ))}
  </div>
))

export const SplitRows = memo(({ lines }: { readonly lines: readonly DiffLine[] }) => (
  <div className="grid grid-cols-2 divide-x divide-line">
    {(['left', 'right'] as const).map((side) => (
      <div key={side} className="min-w-0">
        {sideBySide(lines).map((row, index) => (
          <Cell
            // biome-ignore lint/suspicious/noArrayIndexKey: rows of a patch do not move.
            key={index}
            line={row[side]}
            other={side === 'left' ? row.right : row.left}
            number={side === 'left' ? row.left?.oldNumber : row.right?.newNumber}
          />
        ))}
      </div>
    ))}
  </div>
))

interface CellProps {
  readonly line: DiffLine | null
  readonly other: DiffLine | null
  readonly number: number | null | undefined
}

function Cell({ line, other, number }: CellProps) {
  if (line === null) return <div className="h-5 bg-sunk" />
  const isChanged = line.kind !== 'same' && other !== null && other.kind !== 'same'
  const marked = isChanged ? markChange(line.text, other.text) : null
  return (
    <div className={classNames('flex pr-2', WASH[line.kind])}>
      <span className={NUMBER}>{number}</span>
      <span className="min-w-0 truncate whitespace-pre" title={line.text.length > 80 ? line.text : undefined}>
        {marked ? <MarkedText marked={marked} kind={line.kind} /> : line.text || ' '}
      </span>
    </div>
  )
}

function MarkedText({ marked, kind }: { readonly marked: Marked; readonly kind: DiffLine['kind'] }) {
  return (
    <>
      {marked.before}
      <span className={WORD[kind]}>{marked.changed}</span>
      {marked.after}
    </>
  )
}
