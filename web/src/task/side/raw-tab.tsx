import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef, useState } from 'react'
import type { EventEnvelope } from '../../api/contract.ts'
import type { LogView } from '../../transcript/task-log.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { INPUT } from '../../ui/field.tsx'
import { OutputBlock } from '../../ui/output-block.tsx'

/** The log itself, newest first: what everything else here is made from. */
export function RawTab({ taskId, view }: { readonly taskId: string; readonly view: LogView }) {
  const [search, setSearch] = useState('')
  const [chosen, setChosen] = useState<EventEnvelope | null>(null)
  const scroller = useRef<HTMLDivElement>(null)
  const events = view.events.filter(({ event }) => event.method.toLowerCase().includes(search.toLowerCase()))
  const virtualizer = useVirtualizer({
    count: events.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 28,
    overscan: 20,
  })
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-2">
      <div className="flex items-center gap-1">
        <input
          className={INPUT}
          aria-label="Filter events by method"
          placeholder="Filter by method"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
        <CopyButton
          label="Copy these events as JSON lines"
          text={() => events.map((envelope) => JSON.stringify(envelope)).join('\n')}
        />
      </div>
      <div ref={scroller} className="scroll-thin h-72 overflow-y-auto rounded-lg border border-line bg-panel">
        <div className="relative" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map((item) => {
            const envelope = events[events.length - 1 - item.index]!
            return (
              <button
                key={envelope.seq}
                type="button"
                onClick={() => setChosen(envelope)}
                aria-pressed={chosen?.seq === envelope.seq}
                className="absolute inset-x-0 top-0 flex h-7 items-center gap-2 px-2.5 text-left text-xs hover:bg-sunk aria-pressed:bg-accent-wash"
                style={{ transform: `translateY(${item.start}px)` }}
              >
                <span className="w-12 shrink-0 text-right text-soft tabular-nums">{envelope.seq}</span>
                <code className="truncate">{envelope.event.method}</code>
              </button>
            )
          })}
        </div>
      </div>
      {chosen && (
        <div>
          <div className="flex items-center justify-between text-xs text-soft">
            <a
              className="text-accent underline"
              href={`/v1/tasks/${taskId}/events?after=${chosen.seq - 1}&limit=1`}
              target="_blank"
              rel="noreferrer"
            >
              event {chosen.seq}
            </a>
            <CopyButton label="Copy this event" text={() => JSON.stringify(chosen, null, 2)} />
          </div>
          <OutputBlock label={`Event ${chosen.seq}`} text={JSON.stringify(chosen, null, 2)} />
        </div>
      )}
    </div>
  )
}
