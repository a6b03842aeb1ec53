import { ChevronRight, type LucideIcon } from 'lucide-react'
import { type ReactNode, useContext } from 'react'
import { classNames } from '../../ui/class-names.ts'
import { useOpenRow, ViewContext } from '../verbosity.ts'

interface Props {
  readonly id: string
  readonly icon: LucideIcon
  readonly title: ReactNode
  readonly aside?: ReactNode
  readonly isRunning?: boolean
  readonly isOpenFirst?: boolean
  /** What is inside; nothing to open when absent. */
  readonly children?: ReactNode
}

/** One line that opens. */
export function FoldLine({ id, icon: Icon, title, aside, isRunning = false, isOpenFirst, children }: Props) {
  const { verbosity } = useContext(ViewContext)
  const [isOpen, setOpen] = useOpenRow(id, isOpenFirst ?? verbosity.tools === 'full')
  const hasMore = children !== undefined && children !== null && children !== false
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-panel">
      <button
        type="button"
        disabled={!hasMore}
        aria-expanded={hasMore ? isOpen : undefined}
        onClick={() => setOpen(!isOpen)}
        className="flex w-full items-center gap-2 px-3 py-2 text-left text-[13px] enabled:hover:bg-sunk disabled:cursor-default"
      >
        <Icon
          size={15}
          aria-hidden
          className={classNames('shrink-0', isRunning ? 'breathe text-busy' : 'text-soft')}
        />
        <span className="min-w-0 flex-1 truncate">{title}</span>
        <span className="flex shrink-0 items-center gap-2 text-xs text-soft tabular-nums">{aside}</span>
        {hasMore && (
          <ChevronRight
            size={14}
            aria-hidden
            className={classNames(
              'shrink-0 text-soft motion-safe:transition-transform',
              isOpen && 'rotate-90',
            )}
          />
        )}
      </button>
      {isOpen && hasMore && <div className="flex flex-col gap-2 border-t border-line p-2.5">{children}</div>}
    </div>
  )
}

export function Mark({
  tone,
  children,
}: {
  readonly tone: 'good' | 'bad' | 'calm'
  readonly children: ReactNode
}) {
  const looks = {
    good: 'bg-good-wash text-good',
    bad: 'bg-bad-wash text-bad',
    calm: 'bg-calm-wash text-soft',
  }
  return (
    <span className={classNames('rounded-md px-1.5 py-0.5 text-xs font-medium', looks[tone])}>
      {children}
    </span>
  )
}
