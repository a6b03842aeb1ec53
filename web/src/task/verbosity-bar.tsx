import { Choice } from '../ui/field.tsx'
import type { Level, Verbosity } from './verbosity.ts'

const LEVELS = [
  { value: 'hidden', text: 'hidden' },
  { value: 'summary', text: 'summary' },
  { value: 'full', text: 'full' },
]

interface Props {
  readonly value: Verbosity
  readonly onChange: (value: Verbosity) => void
}

export function VerbosityBar({ value, onChange }: Props) {
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-[13px] text-soft">
      {(['tools', 'thinking'] as const).map((name) => (
        <div key={name} className="flex items-center gap-1.5">
          <label htmlFor={`show-${name}`}>{name === 'tools' ? 'Tools' : 'Thinking'}</label>
          <Choice
            id={`show-${name}`}
            className="!min-h-7 !w-auto !px-2 !py-0.5 !text-[13px]"
            value={value[name]}
            options={LEVELS}
            onChoose={(level) => onChange({ ...value, [name]: level as Level })}
          />
        </div>
      ))}
    </div>
  )
}
