import { useMutation, useQuery } from '@tanstack/react-query'
import { Download, Eye, EyeOff } from 'lucide-react'
import { useState } from 'react'
import * as calls from '../api/calls.ts'
import type { AnswerDeliverable, Deliverable, Task } from '../api/contract.ts'
import { ApiError } from '../api/http.ts'
import { keys } from '../api/queries.ts'
import { queryClient } from '../api/query-client.ts'
import { Button, buttonLook } from '../ui/button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Exact } from '../ui/exact.tsx'
import { INPUT } from '../ui/field.tsx'
import { Panel } from '../ui/panel.tsx'
import { Ago } from '../ui/time.tsx'
import { Preview } from './preview.tsx'
import { sizeText } from './size-text.ts'

/** Files that the model handed over; nothing for a task that cannot hand any over. */
export function DeliverablesPanel({ task }: { readonly task: Task }) {
  const canDeliver = task.tools.includes('drawbridge_deliver')
  const { data, error } = useQuery({
    queryKey: [...keys.task(task.id), 'deliverables'],
    queryFn: ({ signal }) => calls.deliverables.list(task.id, signal),
    enabled: canDeliver,
  })
  if (!canDeliver || (!data && !error)) return null
  const items = data?.items ?? []
  return (
    <Panel
      title="Deliverables"
      aside={
        task.openDeliverables > 0 && (
          <span className="text-xs text-wait">{task.openDeliverables} to answer</span>
        )
      }
    >
      <ErrorNote error={error} />
      {items.length === 0 && (
        <p className="px-4 py-3 text-[13px] text-soft">Nothing has been handed over yet.</p>
      )}
      <ul aria-label="Deliverables" className="divide-y divide-line">
        {[...items].reverse().map((item) => (
          <Row key={item.id} item={item} />
        ))}
      </ul>
    </Panel>
  )
}

function Row({ item }: { readonly item: Deliverable }) {
  const [isOpen, setOpen] = useState(false)
  const { taskId, number, title, note, path, bytes, createdAt, status } = item
  return (
    <li className="flex flex-col gap-2 px-4 py-3 text-[13px]">
      <div className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <p className="font-medium [overflow-wrap:anywhere]">{title}</p>
          <p className="text-xs text-soft">
            <code className="[overflow-wrap:anywhere]">
              <Exact text={path} />
            </code>{' '}
            · {sizeText(bytes)} · <Ago at={createdAt} />
          </p>
        </div>
        <Button
          size="small"
          tone="quiet"
          aria-label={`${isOpen ? 'Hide' : 'Show'} ${title}`}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? <EyeOff size={15} /> : <Eye size={15} />}
        </Button>
        <a
          href={calls.deliverables.content(taskId, number)}
          download={item.name}
          aria-label={`Download ${title}`}
          className={buttonLook({ size: 'small', tone: 'quiet' })}
        >
          <Download size={15} />
        </a>
      </div>
      {note && <p className="whitespace-pre-wrap text-soft [overflow-wrap:anywhere]">{note}</p>}
      {isOpen && <Preview item={item} />}
      {status === 'pending' ? <Answer item={item} /> : <Answered item={item} />}
    </li>
  )
}

function Answer({ item: { taskId, number, title } }: { readonly item: Deliverable }) {
  const [words, setWords] = useState('')
  const answer = useMutation({
    mutationFn: (given: AnswerDeliverable) => calls.deliverables.answer(taskId, number, given),
    onSettled: () => queryClient.invalidateQueries({ queryKey: keys.task(taskId) }),
  })
  const text = words.trim()
  return (
    <div className="flex flex-col gap-2">
      <textarea
        aria-label={`Words about ${title}`}
        placeholder="What should be changed? Words start a turn of the task, or go into the one that runs."
        rows={2}
        value={words}
        onChange={(event) => setWords(event.target.value)}
        className={INPUT}
      />
      <div className="flex justify-end gap-2">
        <Button
          size="small"
          disabled={answer.isPending || text === ''}
          title={text === '' ? 'Say first what should be changed' : undefined}
          onClick={() => answer.mutate({ verdict: 'sent-back', words: text })}
        >
          Send back
        </Button>
        <Button
          size="small"
          tone="main"
          disabled={answer.isPending}
          onClick={() => answer.mutate({ verdict: 'accepted', ...(text !== '' && { words: text }) })}
        >
          Accept
        </Button>
      </div>
      {!isAnswered(answer.error) && <ErrorNote error={answer.error} />}
    </div>
  )
}

/** Somebody was first: the row shows what they said as soon as it is read again. */
function isAnswered(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'deliverable-answered'
}

function Answered({ item: { status, words, actor } }: { readonly item: Deliverable }) {
  return (
    <p className={status === 'accepted' ? 'text-good' : 'text-soft'}>
      {status === 'accepted' ? 'Accepted' : 'Sent back'} by {actor}
      {words !== null && <span className="whitespace-pre-wrap text-soft">: {words}</span>}
    </p>
  )
}
