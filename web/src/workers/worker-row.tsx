import { useState } from 'react'
import type { Worker } from '../api/contract.ts'
import { Button } from '../ui/button.tsx'
import { TONES } from '../ui/status-pill.tsx'
import { useNow } from '../ui/time.tsx'
import { DrainDialog } from './drain-dialog.tsx'
import { heardText } from './heard-text.ts'

interface Props {
  readonly worker: Worker
  readonly workers: readonly Worker[]
  readonly readAt: number
}

const LOOKS: Readonly<Record<Worker['state'], readonly [tone: string, text: string]>> = {
  up: [TONES.good, 'Up'],
  draining: [TONES.wait, 'Draining'],
  stopped: [TONES.calm, 'Stopped'],
  lost: [TONES.bad, 'Lost'],
}

export function WorkerRow({ worker, workers, readAt }: Props) {
  const { name, machine, state, version, labels, tasks, isThis } = worker
  const [isAsked, setAsked] = useState(false)
  const [tone, text] = LOOKS[state] ?? [TONES.calm, state]
  const isThere = state === 'up' || state === 'draining'
  const silentMs = worker.silentMs + Math.max(0, useNow() - readAt)
  return (
    <li className="grid grid-cols-[1fr_auto] items-center gap-x-4 gap-y-1.5 px-4 py-3 text-sm">
      <div className="flex min-w-0 flex-wrap items-center gap-x-2.5 gap-y-1">
        <span className="min-w-0 font-medium [overflow-wrap:anywhere]">{name}</span>
        <span className={`rounded-md px-1.5 py-0.5 text-xs font-medium ${tone}`}>{text}</span>
        {isThis && <span className="text-xs text-soft">serves this page</span>}
        {labels.map((label) => (
          <span key={label} className="rounded-md bg-sunk px-1.5 py-0.5 text-xs text-soft">
            {label}
          </span>
        ))}
      </div>
      {isThere ? (
        <Button
          size="small"
          aria-label={state === 'up' ? `Drain ${name}` : `Undrain ${name}`}
          onClick={() => setAsked(true)}
        >
          {state === 'up' ? 'Drain' : 'Undrain'}
        </Button>
      ) : (
        <span />
      )}
      <div className="col-span-2 flex flex-wrap items-center gap-x-4 gap-y-1 text-[13px] text-soft tabular-nums">
        {isThere && <Load worker={worker} />}
        <span>{tasks === 1 ? '1 task' : `${tasks} tasks`}</span>
        <span className={state === 'lost' ? 'text-bad' : undefined}>{heardText(state, silentMs)}</span>
        {machine !== name && <span className="[overflow-wrap:anywhere]">{machine}</span>}
        <span>version {version}</span>
      </div>
      {state === 'lost' && tasks > 0 && (
        <p className="col-span-2 text-[13px] text-soft">
          Its tasks wait for it to come back, or ended as lost where they were started that way.
        </p>
      )}
      {isAsked && <DrainDialog worker={worker} workers={workers} onClose={() => setAsked(false)} />}
    </li>
  )
}

function Load({ worker: { working, capacity } }: { readonly worker: Worker }) {
  return (
    <span className="flex items-center gap-2">
      <meter
        className="h-2 w-20"
        min={0}
        max={Math.max(1, capacity)}
        value={working}
        aria-label="Turns that run, of those that can"
      />
      {working} of {capacity} working
    </span>
  )
}
