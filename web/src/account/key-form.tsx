import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import * as calls from '../api/calls.ts'
import type { AccountLogin } from '../api/contract.ts'
import { Button } from '../ui/button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Field, INPUT } from '../ui/field.tsx'

/** The key is forgotten here as soon as codex has it. */
export function KeyForm({ onDone }: { readonly onDone: (login: AccountLogin) => void }) {
  const [apiKey, setApiKey] = useState('')
  const send = useMutation({
    // Not as a variable of the mutation: those are kept.
    mutationFn: () => calls.account.startLogin({ type: 'apiKey', apiKey }),
    onSuccess: (login) => {
      setApiKey('')
      onDone(login)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    send.mutate()
  }
  return (
    <form onSubmit={submit} autoComplete="off" className="mt-3 flex flex-col items-start gap-3">
      <div className="w-full max-w-md">
        <Field
          label="OpenAI API key"
          hint="Codex keeps it on its machine; Drawbridge does not. Whether it works shows with the first turn."
        >
          {(ids) => (
            <input
              {...ids}
              required
              type="password"
              autoComplete="off"
              spellCheck={false}
              className={`${INPUT} font-mono`}
              value={apiKey}
              onChange={(event) => setApiKey(event.target.value)}
            />
          )}
        </Field>
      </div>
      <div className="max-w-full empty:hidden">
        <ErrorNote error={send.error} />
      </div>
      <Button type="submit" size="small" disabled={send.isPending || apiKey.trim() === ''}>
        {send.isPending ? 'Giving it to Codex…' : 'Use this key'}
      </Button>
    </form>
  )
}
