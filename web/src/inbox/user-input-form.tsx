import { type FormEvent, useState } from 'react'
import type { Question } from '../api/contract.ts'
import { Button } from '../ui/button.tsx'
import { INPUT } from '../ui/field.tsx'

type Asked = Extract<Question, { kind: 'user-input' }>['questions'][number]

interface Props {
  readonly questions: readonly Asked[]
  readonly isBusy: boolean
  /** The card has only just come or moved. */
  readonly isSettling: boolean
  readonly onSubmit: (answers: Record<string, string[]>) => void
}

export function UserInputForm({ questions, isBusy, isSettling, onSubmit }: Props) {
  const [chosen, setChosen] = useState<Readonly<Record<string, string>>>({})
  const [written, setWritten] = useState<Readonly<Record<string, string>>>({})
  const answerOf = (id: string) => (written[id] || chosen[id]) ?? ''
  const isComplete = questions.every(({ id }) => answerOf(id) !== '')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSubmit(Object.fromEntries(questions.map(({ id }) => [id, [answerOf(id)]])))
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      {questions.map((asked) => (
        <fieldset key={asked.id} className="flex flex-col gap-1.5">
          <legend className="mb-1 text-sm font-medium">
            {asked.header && (
              <span className="mr-2 rounded-md bg-sunk px-1.5 py-0.5 text-xs text-soft">{asked.header}</span>
            )}
            {asked.question}
          </legend>
          {asked.options?.map((option) => (
            <label
              key={option.label}
              className="flex cursor-pointer items-start gap-2.5 rounded-lg border border-line px-3 py-2 has-checked:border-accent has-checked:bg-accent-wash"
            >
              <input
                type="radio"
                name={asked.id}
                className="mt-1 accent-accent"
                checked={!written[asked.id] && chosen[asked.id] === option.label}
                onChange={() => {
                  setChosen({ ...chosen, [asked.id]: option.label })
                  setWritten({ ...written, [asked.id]: '' })
                }}
              />
              <span className="text-sm">
                {option.label}
                {option.description && (
                  <span className="block text-[13px] text-soft">{option.description}</span>
                )}
              </span>
            </label>
          ))}
          {(asked.options === null || asked.options.length === 0 || asked.isOther) && (
            <input
              className={INPUT}
              type={asked.isSecret ? 'password' : 'text'}
              autoComplete="off"
              aria-label={asked.options?.length ? `Another answer: ${asked.question}` : asked.question}
              placeholder={asked.options?.length ? 'Something else' : 'Your answer'}
              value={written[asked.id] ?? ''}
              onChange={(event) => setWritten({ ...written, [asked.id]: event.target.value })}
            />
          )}
        </fieldset>
      ))}
      <Button
        type="submit"
        tone="main"
        aria-disabled={isSettling || undefined}
        disabled={isBusy || !isComplete}
        className="self-start"
      >
        Send answers
      </Button>
    </form>
  )
}
