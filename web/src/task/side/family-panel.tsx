import { Link } from 'wouter'
import type { Task } from '../../api/contract.ts'
import { useChildren, useTask } from '../../api/queries.ts'
import { Panel } from '../../ui/panel.tsx'
import { StatusPill } from '../../ui/status-pill.tsx'

/** The task that started this one, and those it started; nothing where there are none. */
export function FamilyPanel({ task }: { readonly task: Task }) {
  const children = useChildren(task.id).data?.items ?? []
  if (task.parent === null && children.length === 0) return null
  return (
    <Panel title="Related tasks">
      <ul aria-label="Related tasks" className="divide-y divide-line">
        {task.parent !== null && <Parent id={task.parent} />}
        {children.map((child) => (
          <Row key={child.id} task={child} place="Below" />
        ))}
      </ul>
    </Panel>
  )
}

/** It may be deleted. */
function Parent({ id }: { readonly id: string }) {
  const parent = useTask(id).data?.task
  return parent ? (
    <Row task={parent} place="Above" />
  ) : (
    <li className="px-4 py-2 text-[13px] text-soft">Above: {id}</li>
  )
}

function Row({ task, place }: { readonly task: Task; readonly place: string }) {
  return (
    <li className="flex items-center gap-2 px-4 py-2 text-[13px]">
      <span className="text-soft">{place}</span>
      <Link href={`/tasks/${task.id}`} className="min-w-0 flex-1 truncate hover:underline" title={task.title}>
        {task.title}
      </Link>
      <StatusPill task={task} />
    </li>
  )
}
