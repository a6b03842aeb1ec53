import { useState } from 'react'
import { Choice, Field, INPUT } from '../ui/field.tsx'
import { type AccessDraft, accessProblem } from './access-draft.ts'

interface Props {
  readonly draft: AccessDraft
  readonly onChange: (change: Partial<AccessDraft>) => void
}

const NETWORK = [
  { value: 'off', text: 'Off' },
  { value: 'on', text: 'All of it' },
  { value: 'domains', text: 'Only these domains' },
]

/** What commands may touch besides what the sandbox says. */
export function AccessFields({ draft, onChange }: Props) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="text-[13px] font-medium">Folders and network that commands may use</summary>
      <div className="mt-3 grid gap-3 sm:grid-cols-2">
        <Field label="Network">
          {(ids) => (
            <Choice
              {...ids}
              value={draft.network}
              onChoose={(network) => onChange({ network: network as AccessDraft['network'] })}
              options={NETWORK}
            />
          )}
        </Field>
        {draft.network === 'domains' && (
          <Field label="Domains" hint="With commas. *.example.org is all below it.">
            {(ids) => (
              <input
                {...ids}
                required
                className={`${INPUT} font-mono`}
                placeholder="registry.npmjs.org, *.example.org"
                value={draft.domains}
                onChange={(event) => onChange({ domains: event.target.value })}
              />
            )}
          </Field>
        )}
        <Field
          label="More files and folders"
          hint="One to a line: ro: and a path to read, rw: to write too."
          error={accessProblem(draft)}
        >
          {(ids) => (
            <textarea
              {...ids}
              rows={2}
              className={`${INPUT} font-mono`}
              placeholder="ro:/home/you/docs"
              value={draft.allow}
              onChange={(event) => onChange({ allow: event.target.value })}
            />
          )}
        </Field>
        <label className="flex items-start gap-2 text-sm">
          <input
            type="checkbox"
            className="mt-1"
            checked={draft.confined}
            onChange={(event) => onChange({ confined: event.target.checked })}
          />
          <span>
            Confined
            <span className="block text-xs text-soft">
              Commands see only the folder, what is named here, and the programs of the system.
            </span>
          </span>
        </label>
      </div>
    </details>
  )
}
