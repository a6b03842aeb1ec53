import { classNames } from './class-names.ts'

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
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard.
    <section
      aria-label={label}
      tabIndex={0}
      className={classNames('scroll-thin max-h-80 overflow-auto rounded-lg bg-sunk', className)}
    >
      <pre className="w-max min-w-full px-3 py-2 text-xs leading-5 whitespace-pre-wrap [overflow-wrap:anywhere]">
        {text}
      </pre>
    </section>
  )
}
