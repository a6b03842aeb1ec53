// Two workers on one PostgreSQL, of which one can be cut off from it.
import type { TaskSettings } from '../../src/tasks/index.ts'
import type { CodexHomeOptions, ModelScript } from '../../src/testing/index.ts'
import { LEASE } from './fleet-facts.ts'
import { openFleet } from './open-fleet.ts'
import { ALICE } from './open-tasks.ts'
import { freshDatabase } from './postgres/fresh-database.ts'
import { taskThat } from './task-facts.ts'
import { tcpProxy } from './tcp-proxy.ts'

export async function openCutOffStage(
  script: ModelScript,
  home: CodexHomeOptions = {},
  settings: Partial<TaskSettings> = {},
) {
  const url = await freshDatabase('migrated')
  const network = await tcpProxy(Number(new URL(url).port))
  const fleet = await openFleet(script, { url, fleet: LEASE, home, settings })
  const a = await fleet.worker('a')
  const b = await fleet.worker('b', { url: network.through(url) })
  const cut = () => {
    network.refuse(true)
    network.cut()
  }
  /** Until `a` says that the worker of the task is gone. */
  const lose = async (taskId: string) => {
    cut()
    return taskThat(a.tasks, taskId, ({ waitingFor }) => waitingFor === 'worker')
  }
  const mend = () => network.refuse(false)
  /** Whatever `b` took back has been seen to. */
  const isBack = async () => {
    const { id } = await a.tasks.start(fleet.request('last', { on: 'b' }), ALICE)
    await taskThat(a.tasks, id, ({ status }) => status === 'completed')
  }
  return { ...fleet, a, b, network, cut, lose, mend, isBack }
}
