import type { ComponentProps } from 'react'
import { classNames } from './class-names.ts'

type Tone = 'plain' | 'main' | 'danger' | 'quiet'

const TONES: Readonly<Record<Tone, string>> = {
  plain: 'border border-line bg-panel text-ink hover:bg-sunk',
  main: 'border border-transparent bg-accent text-accent-ink hover:brightness-110',
  danger: 'border border-line bg-panel text-bad hover:bg-bad-wash',
  quiet: 'border border-transparent text-soft hover:bg-sunk hover:text-ink',
}

interface Look {
  readonly tone?: Tone
  readonly size?: 'small' | 'normal'
  readonly className?: string | undefined
}

interface Props extends Omit<ComponentProps<'button'>, 'className'>, Look {}

export function Button({ tone, size, className, type = 'button', ...rest }: Props) {
  return <button type={type} className={buttonLook({ tone, size, className })} {...rest} />
}

/** For a link that looks like one. */
export function buttonLook({ tone = 'plain', size = 'normal', className }: Look): string {
  return classNames(
    'inline-flex shrink-0 select-none items-center justify-center gap-1.5 rounded-lg font-medium transition-colors',
    'disabled:opacity-50',
    size === 'small' ? 'min-h-7 px-2.5 text-[13px]' : 'min-h-9 px-3.5 text-sm',
    TONES[tone],
    className,
  )
}
