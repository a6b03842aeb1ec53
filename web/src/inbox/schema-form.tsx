import { type FormEvent, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Choice, Field, INPUT } from '../ui/field.tsx'
import { type FormField, type FormValues, firstValues, formContent, formFields } from './form-fields.ts'

interface Props {
  readonly schema: unknown
  readonly isBusy: boolean
  /** The card has only just come or moved. */
  readonly isSettling: boolean
  readonly onSubmit: (content: Record<string, unknown>) => void
}

/** What an MCP server asks for. Nothing is filled in that it did not propose itself. */
export function SchemaForm({ schema, isBusy, isSettling, onSubmit }: Props) {
  const [fields] = useState(() => formFields(schema))
  const [values, setValues] = useState<FormValues>(() => firstValues(fields))
  const [errors, setErrors] = useState<Record<string, string>>({})
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const result = formContent(fields, values)
    setErrors(result.errors)
    if (Object.keys(result.errors).length === 0) onSubmit(result.content)
  }
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-3">
      {fields.map((field) => (
        <Field
          key={field.name}
          label={field.label + (field.isRequired ? ' *' : '')}
          hint={field.hint}
          error={errors[field.name]}
        >
          {(ids) => (
            <Control
              {...ids}
              field={field}
              value={values[field.name] ?? ''}
              onChange={(value) => setValues({ ...values, [field.name]: value })}
            />
          )}
        </Field>
      ))}
      <Button
        type="submit"
        tone="main"
        aria-disabled={isSettling || undefined}
        disabled={isBusy}
        className="self-start"
      >
        Send
      </Button>
    </form>
  )
}

interface ControlProps {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly field: FormField
  readonly value: FormValues[string]
  readonly onChange: (value: FormValues[string]) => void
}

function Control({ field, value, onChange, ...ids }: ControlProps) {
  if (field.type === 'boolean')
    return (
      <input
        {...ids}
        type="checkbox"
        className="size-5 accent-accent"
        checked={value === true}
        onChange={(event) => onChange(event.target.checked)}
      />
    )
  if (field.type === 'choice')
    return (
      <Choice
        {...ids}
        value={String(value)}
        onChoose={onChange}
        options={[{ value: '', text: '–' }, ...field.options]}
      />
    )
  if (field.type === 'choices')
    return (
      <select
        {...ids}
        multiple
        className={INPUT}
        value={value as readonly string[] as string[]}
        onChange={(event) => onChange([...event.target.selectedOptions].map((option) => option.value))}
      >
        {field.options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.text}
          </option>
        ))}
      </select>
    )
  return (
    <input
      {...ids}
      className={INPUT}
      inputMode={field.type === 'text' ? undefined : 'decimal'}
      value={String(value)}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}
