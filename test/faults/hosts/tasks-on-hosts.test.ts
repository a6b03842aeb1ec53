// What happens to the turns and questions of tasks on hosts when something on the way, or there, dies. One machine for many
// faults, one after the other.
import { describe, expect, it } from 'vitest'
import { ALICE } from '../../support/open-tasks.ts'
import { masterPid } from '../../support/ssh/leftovers.ts'
import { remoteTasks } from '../../support/ssh/remote-tasks.ts'
import { saysWhatItRan } from '../../support/ssh/says-what-it-ran.ts'
import { eventThat, questionOf, runTask, taskThat } from '../../support/task-facts.ts'

type Stage = Awaited<ReturnType<typeof remoteTasks>>

/** A task in the middle of a command there. */
async function working({ tasks, on }: Stage, command: string): Promise<string> {
  const { id } = await tasks.start(on(command), ALICE)
  await eventThat(
    tasks,
    id,
    ({ method, frame }) => method === 'item/started' && frame.includes('commandExecution'),
  )
  return id
}

const hasEnded = ({ turnId, status }: { turnId: string | null; status: string }) =>
  turnId === null && status !== 'queued' && status !== 'starting'

describe.each(['exec', 'remote'] as const)('in %s mode', (mode) => {
  it('no fault of the connection costs a turn or asks a question twice', async () => {
    const stage = await remoteTasks(saysWhatItRan, { mode })
    const { tasks, on, machine, dataDir, model } = stage
    await runTask(tasks, on('true'))
    const faults: Record<string, () => Promise<unknown>> = {
      'ssh is killed': async () => process.kill(masterPid(dataDir), 'SIGKILL'),
      'its process on the host is killed': () => machine.killSessions(),
      'the link is down for 5 s': () => machine.cutFor(5_000),
    }
    for (const [what, fault] of Object.entries(faults)) {
      const asked = model.requests.length
      const turn = await working(stage, `echo begun; sleep 2; echo over after ${what}`)
      const { id: question } = await tasks.start(on(`outside: echo yes after ${what}`), ALICE)
      const { id } = await questionOf(tasks, question)
      await fault()
      const task = await taskThat(tasks, turn, hasEnded)
      expect(task, what).toMatchObject({
        status: 'idle',
        result: { text: expect.stringContaining(`over after ${what}`) },
      })
      const again = await questionOf(tasks, question)
      expect(again.id).toBe(id)
      await tasks.decide(again.id, { answer: 'once' }, ALICE)
      const answered = await taskThat(tasks, question, hasEnded)
      expect(answered, what).toMatchObject({
        status: 'idle',
        result: { text: expect.stringContaining(`yes after ${what}`) },
      })
      expect((await tasks.approvals({ taskId: question })).items).toHaveLength(1)
      // A turn that was begun again would have asked the model again.
      expect(model.requests.length - asked, what).toBe(4)
    }
  }, 120_000)
})
