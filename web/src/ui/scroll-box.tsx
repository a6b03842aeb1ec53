import type { ComponentProps } from 'react'

interface Props extends Omit<ComponentProps<'section'>, 'tabIndex'> {
  readonly label: string
}

/** What scrolls by itself must be reached by keyboard, and say what it is. */
export function ScrollBox({ label, ...rest }: Props) {
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls only what has the focus.
  return <section aria-label={label} tabIndex={0} {...rest} />
}
