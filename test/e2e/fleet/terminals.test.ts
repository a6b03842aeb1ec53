// Terminals and other clients where several workers share a store: the thread is on one machine, and that one owns what
// happens there.
import { describe, expect, it } from 'vitest'
import { lastUserText, type ModelRequest, message } from '../../../src/testing/index.ts'
import { openFleet } from '../../support/open-fleet.ts'
import { ALICE } from '../../support/open-tasks.ts'
import { otherClient } from '../../support/other-client.ts'
import { taskThat } from '../../support/task-facts.ts'

const echo = (request: ModelRequest) => message(`said ${lastUserText(request)}`)

async function onWorkerB() {
  const fleet = await openFleet(echo)
  const a = await fleet.worker('a', { fleet: { machine: 'machine-a' } })
  const b = await fleet.worker('b', { fleet: { machine: 'machine-b' } })
  const { id } = await a.tasks.start(fleet.request('one', { on: 'b' }), ALICE)
  const task = await a.tasks.wait(id, { timeoutMs: 30_000 })
  return { ...fleet, a, b, id, threadId: task.threadId }
}

describe('attaching at a worker that does not have the task', () => {
  it('says on which machine it is', async () => {
    const { a, b, id, threadId } = await onWorkerB()
    expect(await a.tasks.terminals.attach(id, ALICE)).toMatchObject({ machine: 'machine-b', threadId })
    expect(await b.tasks.terminals.attach(id, ALICE)).toMatchObject({ machine: 'machine-b', threadId })
  })

  it('that is not running names it', async () => {
    const { a, b, id } = await onWorkerB()
    await b.close()
    await expect(a.tasks.terminals.attach(id, ALICE)).rejects.toMatchObject({
      code: 'worker-unreachable',
      message: expect.stringMatching(
        /^the thread of the task is on the worker b \(machine machine-b\), which is not/,
      ),
    })
  })
})

describe('a turn that another client begins', () => {
  it('is the task’s on the worker that has its thread, also when that was restarted', async () => {
    const { a, b, id, threadId, home, worker } = await onWorkerB()
    const other = await otherClient({ pool: b.pool, home })
    const thread = await other.resume(threadId)
    await b.close()
    await (await thread.startTurn('two')).outcome
    await worker('b', { fleet: { machine: 'machine-b' } })
    await taskThat(a.tasks, id, ({ turnCount, status }) => turnCount === 2 && status === 'completed')
    await (await thread.startTurn('three')).outcome
    const ended = await taskThat(
      a.tasks,
      id,
      ({ turnCount, status }) => turnCount === 3 && status === 'completed',
    )
    expect(ended).toMatchObject({ worker: { id: 'b' }, result: { text: 'said three' } })
  })
})

describe('a task that is opened for a terminal', () => {
  it('is of the worker that opened it', async () => {
    const { a, cwd, home } = await onWorkerB()
    const task = await a.tasks.terminals.open({ cwd, codexHome: home.path }, ALICE)
    expect(task).toMatchObject({ status: 'idle', worker: { id: 'a' } })
    expect(await a.tasks.terminals.attach(task.id, ALICE)).toMatchObject({ machine: 'machine-a' })
  })
})
