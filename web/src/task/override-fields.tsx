// What a turn may do and with which model; the same fields for a new task and for a message.
import type { PresetName, ThreadPolicy } from '../api/contract.ts'
import { Choice, Field } from '../ui/field.tsx'
import { effortsOf, useModelChoices } from './models.ts'

interface Values {
  readonly model?: string
  readonly effort?: string
  readonly sandbox?: ThreadPolicy['sandbox']
  readonly preset?: PresetName
}

interface Props<T extends Values> {
  readonly value: T
  readonly onChange: (value: T) => void
  /** What is used when nothing is chosen. */
  readonly unset?: string
}

const SANDBOXES = [
  { value: 'read-only', text: 'Read only' },
  { value: 'workspace-write', text: 'Write in the folder' },
  { value: 'danger-full-access', text: 'Everything (dangerous)' },
]

export const PRESETS = [
  { value: 'ask-all', text: 'Ask about everything' },
  { value: 'read-only', text: 'Allow what stays in the sandbox' },
  { value: 'workspace', text: 'Allow that, and file changes in the folder' },
  { value: 'trusted', text: 'Allow nearly everything, outside the sandbox too' },
]

export function OverrideFields<T extends Values>({ value, onChange, unset = 'As it is' }: Props<T>) {
  const models = useModelChoices()
  const set = (name: keyof Values) => (chosen: string) => {
    const { [name]: _, ...rest } = value
    onChange((chosen === '' ? rest : { ...rest, [name]: chosen }) as T)
  }
  const none = { value: '', text: unset }
  const efforts = effortsOf(models, value.model).map((effort) => ({ value: effort, text: effort }))
  const fields = [
    { name: 'model', label: 'Model', options: models.map(({ id, name }) => ({ value: id, text: name })) },
    { name: 'effort', label: 'Effort', options: efforts },
    { name: 'sandbox', label: 'Sandbox', options: SANDBOXES },
    { name: 'preset', label: 'Preset', options: PRESETS },
  ] as const
  return (
    <div className="grid grid-cols-2 gap-3 sm:grid-cols-4">
      {fields.map(({ name, label, options }) => (
        <Field key={name} label={label}>
          {(ids) => (
            <Choice {...ids} value={value[name] ?? ''} onChoose={set(name)} options={[none, ...options]} />
          )}
        </Field>
      ))}
      {value.preset === 'trusted' && (
        <p className="col-span-full text-xs">
          Commands may leave the sandbox without asking: code in the folder can then read and change your
          files and logins, and use the network. Only a list of known dangers is asked about.
        </p>
      )}
    </div>
  )
}
