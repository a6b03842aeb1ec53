// A start of the service, or of a worker that was declared lost: what it had is its own again, and is looked for while it
// takes calls, commands and tasks.
import { planRecovery, recoverAll } from './turns/index.ts'
import type { TaskParts } from './wire-tasks.ts'

/**
 * Resolves when it takes calls. `recovered`: it is known of each task that was at work how it goes on. `ended`: no turn that
 * was given up runs any more.
 */
export async function beginTasks({
  links,
  approvals,
  outbox,
  membership,
  fleet,
  recovery,
  unheard,
  hooks,
}: TaskParts): Promise<{ readonly recovered: Promise<void>; readonly ended: Promise<void> }> {
  await membership?.join()
  const orphans = (await fleet?.takeBack()) ?? []
  const release = await links.adopt()
  try {
    await approvals.restore()
    await hooks.begin()
    const plan = await planRecovery(recovery, orphans)
    fleet?.begin()
    outbox.wake()
    const { found, ended } = recoverAll(plan, recovery)
    const recovered = found.finally(() => {
      unheard.begin()
      release()
    })
    return { recovered, ended }
  } catch (error) {
    release()
    throw error
  }
}
