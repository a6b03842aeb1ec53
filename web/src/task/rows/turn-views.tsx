import { CircleAlert, RotateCw } from 'lucide-react'
import type { ErrorRow, TurnEndRow } from '../../transcript/row.ts'
import { durationText } from '../../ui/age-text.ts'
import { classNames } from '../../ui/class-names.ts'

export function TurnEnd({ row }: { readonly row: TurnEndRow }) {
  const isGood = row.status === 'completed'
  return (
    <div
      className={classNames(
        'flex items-center gap-3 py-1 text-xs',
        isGood ? 'text-soft' : row.status === 'failed' ? 'text-bad' : 'text-wait',
      )}
    >
      <span className="h-px flex-1 bg-line" />
      <span>
        {isGood ? 'Turn done' : row.status === 'interrupted' ? 'Turn interrupted' : `Turn ${row.status}`}
        {row.durationMs !== null && ` · ${durationText(row.durationMs)}`} ·{' '}
        {new Date(row.at).toLocaleTimeString()}
      </span>
      <span className="h-px flex-1 bg-line" />
    </div>
  )
}

export function ErrorView({ row }: { readonly row: ErrorRow }) {
  if (row.willRetry || row.isOver)
    return (
      <p className="flex gap-2 text-[13px] text-soft">
        <RotateCw
          size={15}
          className={classNames('mt-0.5 shrink-0', !row.isOver && 'breathe text-wait')}
          aria-hidden
        />
        <span className="[overflow-wrap:anywhere]">
          {row.isOver ? 'Went on after' : 'Trying again after'}{' '}
          {row.attempts === 1 ? 'an error' : `${row.attempts} errors`}: {row.message}
        </span>
      </p>
    )
  return (
    <div role="alert" className="flex gap-2 rounded-lg bg-bad-wash px-3 py-2.5 text-sm text-bad">
      <CircleAlert size={16} className="mt-0.5 shrink-0" aria-hidden />
      <div className="min-w-0 [overflow-wrap:anywhere]">
        {row.message}
        {row.details && <p className="mt-1 text-[13px] whitespace-pre-wrap">{row.details}</p>}
      </div>
    </div>
  )
}
