import { memo } from 'react'
import { classNames } from '../ui/class-names.ts'
import { Exact } from '../ui/exact.tsx'
import type { DiffLine } from './parse-diff.ts'
import { type Marked, markChange, sideBySide } from './side-by-side.ts'

const WASH = { added: 'bg-good-wash', removed: 'bg-bad-wash', same: '' } as const
const SIGN = { added: '+', removed: '−', same: ' ' } as const
const WORD = { added: 'bg-good/25 rounded-xs', removed: 'bg-bad/25 rounded-xs', same: '' } as const
const NUMBER = 'inline-block w-10 shrink-0 select-none pr-2 text-right text-soft'

export const UnifiedRows = memo(({ lines }: { readonly lines: readonly DiffLine[] }) => (
  <div>
    {lines.map((line) => (
      <div key={`${line.oldNumber}:${line.newNumber}`} className={classNames('flex pr-3', WASH[line.kind])}>
        <span className={NUMBER}>{line.oldNumber}</span>
        <span className={NUMBER}>{line.newNumber}</span>
        <span className="w-4 shrink-0 select-none text-soft">{SIGN[line.kind]}</span>
        <span className="min-w-0 whitespace-pre-wrap">
          <Exact text={line.text || ' '} />
        </span>
      </div>
    ))}
  </div>
))

/** Row by row, so that a line that wraps stays beside the one it replaces. */
export const SplitRows = memo(({ lines }: { readonly lines: readonly DiffLine[] }) => (
  <div>
    {sideBySide(lines).map(({ left, right }, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: rows of a patch do not move.
      <div key={index} className="grid grid-cols-2 divide-x divide-line">
        <Cell line={left} other={right} number={left?.oldNumber} />
        <Cell line={right} other={left} number={right?.newNumber} />
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
  if (line === null) return <div className="min-h-5 bg-sunk" />
  const isChanged = line.kind !== 'same' && other !== null && other.kind !== 'same'
  const marked = isChanged ? markChange(line.text, other.text) : null
  return (
    <div className={classNames('flex min-w-0 pr-2', WASH[line.kind])}>
      <span className={NUMBER}>{number}</span>
      <span className="min-w-0 whitespace-pre-wrap">
        {marked ? <MarkedText marked={marked} kind={line.kind} /> : <Exact text={line.text || ' '} />}
      </span>
    </div>
  )
}

function MarkedText({ marked, kind }: { readonly marked: Marked; readonly kind: DiffLine['kind'] }) {
  return (
    <>
      <Exact text={marked.before} />
      <span className={WORD[kind]}>
        <Exact text={marked.changed} />
      </span>
      <Exact text={marked.after} />
    </>
  )
}
