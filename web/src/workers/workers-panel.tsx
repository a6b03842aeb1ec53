import type { Worker } from '../api/contract.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { Panel } from '../ui/panel.tsx'
import { isFleet } from './fleet.ts'
import { WorkerRow } from './worker-row.tsx'

interface Props {
  readonly workers: readonly Worker[] | undefined
  /** When they were asked for. */
  readonly readAt: number
  readonly error: Error | null
}

/** The services that share the database; nothing where there is one. */
export function WorkersPanel({ workers = [], readAt, error }: Props) {
  if (!isFleet(workers)) return null
  const up = workers.filter(({ state }) => state === 'up')
  const room = up.reduce((sum, { capacity, working }) => sum + Math.max(0, capacity - working), 0)
  return (
    <Panel
      title="Workers"
      aside={
        <span className="text-[13px] text-soft tabular-nums">
          {up.length} of {workers.length} up · room for {room === 1 ? '1 more turn' : `${room} more turns`}
        </span>
      }
    >
      <ErrorNote error={error} />
      <ul aria-label="Workers" className="divide-y divide-line">
        {workers.map((worker) => (
          <WorkerRow key={worker.id} worker={worker} workers={workers} readAt={readAt} />
        ))}
      </ul>
    </Panel>
  )
}
