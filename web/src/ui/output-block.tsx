import { classNames } from './class-names.ts'
import { ScrollBox } from './scroll-box.tsx'

/** Text of a program, as it is. It scrolls by itself, and by keyboard. */
export function OutputBlock({
  text,
  label,
  className,
}: {
  readonly text: string
  readonly label: string
  readonly className?: string
}) {
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
