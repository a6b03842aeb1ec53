import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import * as calls from '../api/calls.ts'
import { PRESETS } from '../task/override-fields.tsx'
import { Button } from '../ui/button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Choice, INPUT } from '../ui/field.tsx'
import { Panel } from '../ui/panel.tsx'
import { TONES } from '../ui/status-pill.tsx'

const SIDES = [
  { value: 'outside', text: 'Outside the sandbox' },
  { value: 'inside', text: 'Inside the sandbox' },
]

const LOOKS = { allow: TONES.good, deny: TONES.bad, ask: TONES.wait }

/** What the rules would say, before codex asks. */
export function CheckPanel() {
  const [command, setCommand] = useState('')
  const [preset, setPreset] = useState('workspace')
  const [side, setSide] = useState('outside')
  const sandboxed = side === 'inside'
  const check = useMutation({ mutationFn: () => calls.rules.check({ command, cwd: '/', preset, sandboxed }) })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    check.mutate()
  }
  return (
    <Panel title="Try a command">
      <form onSubmit={submit} className="flex flex-wrap gap-2 p-4">
        <input
          aria-label="Command"
          className={`${INPUT} min-w-40 flex-1 font-mono`}
          placeholder="git push origin main"
          value={command}
          onChange={(event) => setCommand(event.target.value)}
        />
        <Choice
          aria-label="Preset"
          className="!w-auto"
          value={preset}
          onChoose={setPreset}
          options={PRESETS}
        />
        <Choice
          aria-label="Where it would run"
          className="!w-auto"
          value={side}
          onChoose={setSide}
          options={SIDES}
        />
        <Button type="submit" disabled={command.trim() === '' || check.isPending}>
          Ask the rules
        </Button>
      </form>
      {(check.data || check.error) && (
        <div role="status" className="flex flex-col gap-2 px-4 pb-4 text-sm">
          <ErrorNote error={check.error} />
          {check.data?.parts.map((part) => (
            <p key={part.text} className="flex flex-wrap items-baseline gap-2">
              <span className={`rounded-md px-1.5 py-0.5 text-xs font-medium ${LOOKS[part.answer]}`}>
                {part.answer}
              </span>
              <code>{part.text}</code>
              <span className="text-[13px] text-soft">{part.why}</span>
            </p>
          ))}
          {check.data && (
            <p>
              Together:{' '}
              <span className={`rounded-md px-1.5 py-0.5 text-xs font-medium ${LOOKS[check.data.answer]}`}>
                {check.data.answer}
              </span>{' '}
              {check.data.sandbox} the sandbox <span className="text-[13px] text-soft">{check.data.why}</span>
            </p>
          )}
          {check.data?.notes.map((note) => (
            <p key={note} className="text-[13px]">
              {note}
            </p>
          ))}
        </div>
      )}
    </Panel>
  )
}
