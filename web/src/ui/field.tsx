import { type ComponentProps, type ReactNode, useId } from 'react'
import { classNames } from './class-names.ts'

export const INPUT =
  'w-full rounded-lg border border-line bg-panel px-3 py-1.5 text-sm text-ink min-h-9 disabled:opacity-60'

interface FieldProps {
  readonly label: string
  readonly hint?: ReactNode
  readonly error?: string | null
  readonly children: (ids: { id: string; 'aria-describedby': string | undefined }) => ReactNode
}

/** A label, what it is for, and what is wrong with it. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId()
  const hasNote = Boolean(hint || error)
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-[13px] font-medium">
        {label}
      </label>
      {children({ id, 'aria-describedby': hasNote ? `${id}-note` : undefined })}
      {hasNote && (
        <p id={`${id}-note`} className={classNames('text-xs', error ? 'text-bad' : 'text-soft')}>
          {error || hint}
        </p>
      )}
    </div>
  )
}

interface ChoiceProps extends Omit<ComponentProps<'select'>, 'onChange'> {
  readonly value: string
  readonly onChoose: (value: string) => void
  readonly options: readonly { readonly value: string; readonly text: string }[]
}

export function Choice({ options, onChoose, className, ...rest }: ChoiceProps) {
  return (
    <select
      className={classNames(INPUT, className)}
      onChange={(event) => onChoose(event.target.value)}
      {...rest}
    >
      {options.map(({ value, text }) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  )
}
