import type { TaskParts } from './wire-tasks.ts'

/** Everything but the log and the worker's row. */
export async function letGo({
  fleet,
  runs,
  approvals,
  links,
  outbox,
  terminals,
  hooks,
}: TaskParts): Promise<void> {
  fleet?.stop()
  terminals.stop()
  runs.stop()
  approvals.stop()
  await Promise.all([links.close(), hooks.stop()])
  await outbox.stop({ deadlineMs: 2_000 })
}
