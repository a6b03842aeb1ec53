import { ToggleGroup } from 'radix-ui'
import type { ReactNode } from 'react'

interface Props<T extends string> {
  readonly label: string
  readonly value: T
  readonly onChoose: (value: T) => void
  readonly options: readonly { readonly value: T; readonly text: ReactNode; readonly title?: string }[]
}

/** One of a few. */
export function Toggle<T extends string>({ label, value, onChoose, options }: Props<T>) {
  return (
    <ToggleGroup.Root
      type="single"
      aria-label={label}
      value={value}
      onValueChange={(chosen) => chosen && onChoose(chosen as T)}
      className="inline-flex rounded-lg border border-line bg-sunk p-0.5"
    >
      {options.map((option) => (
        <ToggleGroup.Item
          key={option.value}
          value={option.value}
          title={option.title}
          className="inline-flex min-h-7 items-center gap-1.5 rounded-md px-2.5 text-[13px] font-medium text-soft data-[state=on]:bg-panel data-[state=on]:text-ink data-[state=on]:shadow-sm"
        >
          {option.text}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  )
}
