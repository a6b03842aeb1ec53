import type { Worker } from '../api/contract.ts'
import { Choice, Field } from '../ui/field.tsx'
import { placesOf } from '../workers/fleet.ts'
import type { Draft } from './draft.ts'

interface Props {
  readonly workers: readonly Worker[]
  readonly draft: Pick<Draft, 'on' | 'onLost'>
  readonly onChange: (change: Partial<Draft>) => void
}

/** Where a task may run; shown only where there is something to choose. */
export function RunOn({ workers, draft, onChange }: Props) {
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <Field label="Run on" hint="The task stays on the machine that begins it.">
        {(ids) => (
          <Choice
            {...ids}
            value={draft.on}
            onChoose={(on) => onChange({ on })}
            options={[{ value: '', text: 'Any worker that has the folder' }, ...placesOf(workers)]}
          />
        )}
      </Field>
      <Field label="If that worker is lost" hint="Killed, cut off, or its machine is gone.">
        {(ids) => (
          <Choice
            {...ids}
            value={draft.onLost}
            onChoose={(onLost) => onChange({ onLost: onLost as Draft['onLost'] })}
            options={[
              { value: 'wait', text: 'Wait for it to come back' },
              { value: 'fail', text: 'End the task as lost' },
            ]}
          />
        )}
      </Field>
    </div>
  )
}
