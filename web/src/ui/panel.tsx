import type { ReactNode } from 'react'
import { usePageTitle } from '../shell/page-title.ts'
import { classNames } from './class-names.ts'

interface Props {
  readonly title?: ReactNode
  readonly aside?: ReactNode
  readonly children: ReactNode
  readonly className?: string
}

export function Panel({ title, aside, children, className }: Props) {
  return (
    <section className={classNames('rounded-xl border border-line bg-panel', className)}>
      {title !== undefined && (
        <header className="flex flex-wrap items-center justify-between gap-2 border-b border-line px-4 py-2.5">
          <h2 className="text-sm font-semibold">{title}</h2>
          {aside}
        </header>
      )}
      {children}
    </section>
  )
}

/** Keeps the place of what is still to come, as high as an `Empty`. */
export function Coming() {
  return <div className="min-h-44" />
}

/** Says why there is nothing, and what to do about it. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-14 text-center">
      <p className="font-medium">{title}</p>
      <div className="max-w-md text-sm text-soft">{children}</div>
    </div>
  )
}

interface PageProps {
  readonly title: string
  readonly aside?: ReactNode
  readonly children: ReactNode
  readonly isWide?: boolean
  /** Parts of it are still to come. */
  readonly isBusy?: boolean
}

export function Page({ title, aside, children, isWide = false, isBusy = false }: PageProps) {
  usePageTitle(title)
  return (
    <div className="scroll-thin h-full overflow-y-auto">
      <div
        aria-busy={isBusy}
        className={classNames(
          'mx-auto flex flex-col gap-4 px-4 py-5 md:px-8 md:py-7',
          isWide ? 'max-w-7xl' : 'max-w-4xl',
        )}
      >
        <header className="flex flex-wrap items-center justify-between gap-3">
          <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
          {aside}
        </header>
        {children}
      </div>
    </div>
  )
}
