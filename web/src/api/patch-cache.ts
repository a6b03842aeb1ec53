// What the service says happened, put into what the page already has: first at once, then asked for again.
import type { InfiniteData, QueryClient } from '@tanstack/react-query'
import type { Approval, EventEnvelope, Page, Task, TaskDetail } from './contract.ts'
import { keys } from './queries.ts'

type Params = Readonly<Record<string, unknown>>

export function patchCache(client: QueryClient, { taskId, seq, at, event }: EventEnvelope): void {
  const params = (event.params ?? {}) as Params
  if (event.method === 'drawbridge/task') {
    const fields = { ...params, updatedAt: at, lastSeq: seq } as Partial<Task>
    patchTask(client, taskId, fields)
  }
  if (event.method === 'drawbridge/approval' && params.status !== 'pending')
    patchApproval(client, String(params.approvalId), { ...params, settledAt: at } as Partial<Approval>)
}

function patchTask(
  client: QueryClient,
  id: string,
  { status, waitingFor, reason, evidence, updatedAt }: Partial<Task>,
) {
  const change = (task: Task): Task =>
    task.id === id ? ({ ...task, status, waitingFor, reason, evidence, updatedAt } as Task) : task
  client.setQueriesData<InfiniteData<Page<Task>>>({ queryKey: ['tasks'] }, (data) =>
    data?.pages === undefined
      ? data
      : { ...data, pages: data.pages.map((page) => ({ ...page, items: page.items.map(change) })) },
  )
  client.setQueryData<TaskDetail>(
    keys.task(id),
    (detail) => detail && { ...detail, task: change(detail.task) },
  )
}

function patchApproval(client: QueryClient, id: string, fields: Partial<Approval>) {
  const change = (approval: Approval): Approval =>
    approval.id === id && approval.status === 'pending'
      ? ({ ...approval, ...fields, id, kind: approval.kind } as Approval)
      : approval
  client.setQueryData<Approval>(keys.approval(id), (approval) => approval && change(approval))
  client.setQueryData<Page<Approval>>(keys.open, (page) => page && { ...page, items: page.items.map(change) })
  client.setQueriesData<TaskDetail>(
    { queryKey: ['task'] },
    (detail) => detail && { ...detail, approvals: detail.approvals.map(change) },
  )
}

/** Which of the lists an event has made old. */
export function staleKeys(envelope: EventEnvelope): readonly (readonly unknown[])[] {
  const { method } = envelope.event
  const hasFiles = method === 'drawbridge/upload' || method === 'drawbridge/message'
  const always = [
    ...[['tasks'], keys.task(envelope.taskId), keys.status],
    ...(hasFiles ? [keys.uploads(envelope.taskId)] : []),
  ]
  if (method !== 'drawbridge/approval' || isNewQuestion(envelope)) return always
  const { approvalId } = envelope.event.params as Params
  return [...always, keys.approval(String(approvalId)), keys.rules, keys.audit]
}

/** Somebody waits: this one is asked for at once. */
export function isNewQuestion({ event }: EventEnvelope): boolean {
  return event.method === 'drawbridge/approval' && (event.params as Params).status === 'pending'
}
