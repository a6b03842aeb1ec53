import { useMutation } from '@tanstack/react-query'
import { Clock, X } from 'lucide-react'
import * as calls from '../api/calls.ts'
import type { Message } from '../api/contract.ts'
import { keys } from '../api/queries.ts'
import { queryClient } from '../api/query-client.ts'

/** What was sent and waits; it can be taken back. */
export function QueuedMessages({
  taskId,
  messages,
}: {
  readonly taskId: string
  readonly messages: readonly Message[]
}) {
  const cancel = useMutation({
    mutationFn: (id: string) => calls.tasks.cancelMessage(taskId, id),
    onSettled: () => queryClient.invalidateQueries({ queryKey: keys.task(taskId) }),
  })
  const waiting = messages.filter(({ status }) => status === 'queued')
  if (waiting.length === 0) return null
  return (
    <ul aria-label="Messages that wait" className="mx-auto flex w-full max-w-3xl flex-col gap-1 px-4 pb-2">
      {waiting.map((message) => (
        <li
          key={message.id}
          className="flex items-center gap-2 rounded-lg bg-wait-wash px-3 py-1.5 text-[13px] text-wait"
        >
          <Clock size={14} aria-hidden className="shrink-0" />
          <span className="min-w-0 flex-1 truncate">
            {message.mode === 'queue' ? 'Next turn' : 'To steer'}: {message.text}
          </span>
          <button
            type="button"
            aria-label={`Take back: ${message.text}`}
            className="rounded p-0.5 hover:bg-panel"
            onClick={() => cancel.mutate(message.id)}
          >
            <X size={14} />
          </button>
        </li>
      ))}
    </ul>
  )
}
