import { classNames } from './class-names.ts'
import { Exact } from './exact.tsx'
import { ScrollBox } from './scroll-box.tsx'

/** Text of a program, as it is. It scrolls by itself, and by keyboard, unless nothing of it may be out of sight. */
export function OutputBlock({
  text,
  label,
  isWhole = false,
  className,
}: {
  readonly text: string
  readonly label: string
  readonly isWhole?: boolean
  readonly className?: string
}) {
  if (isWhole)
    return (
      <section
        aria-label={label}
        className="rounded-lg bg-sunk px-3 py-2 font-mono text-xs leading-5 whitespace-pre-wrap [overflow-wrap:anywhere]"
      >
        <Exact text={text} />
      </section>
    )
  return (
    <ScrollBox
      label={label}
      className={classNames('scroll-thin max-h-80 overflow-auto rounded-lg bg-sunk', className)}
    >
      <pre className="w-max min-w-full px-3 py-2 text-xs leading-5 whitespace-pre-wrap [overflow-wrap:anywhere]">
        {text}
      </pre>
    </ScrollBox>
  )
}
