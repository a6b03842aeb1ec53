// What goes wrong with a task's thread and is survived is in the log of the task.
import { expect, it, onTestFinished } from 'vitest'
import { type FakeScript, fake, fakeCodex, message } from '../../src/testing/index.ts'
import { allEvents, openTasks } from '../support/open-tasks.ts'
import { paramsOf, runTask } from '../support/task-facts.ts'

/** A service whose codex is a fake one; what its task's log says of incidents, by type. */
async function incidentsOf(steps: FakeScript['steps'], model: string) {
  // A version without profiles: the replies of these scripts name none.
  const program = await fakeCodex({ version: '0.150.1', steps })
  onTestFinished(() => program.remove())
  const { tasks, request } = await openTasks(() => message('unused'), { pool: { transport: 'stdio' } })
  const task = await runTask(tasks, request('go', { codexPath: program.path, policy: { model } }))
  const events = await allEvents(tasks, task.id)
  const incidents = events.filter(({ method }) => method === 'drawbridge/incident').map(paramsOf)
  return { task, incidents }
}

it('codex takes another model than it was asked for: the log says so, though the task was not known yet', async () => {
  const started = fake.reply({ thread: { id: '$threadId', turns: [] }, model: 'cheap', cwd: '/' })
  const { task, incidents } = await incidentsOf([fake.on('thread/start', started)], 'dear')
  expect(task.status).toBe('completed')
  expect(incidents).toContainEqual({
    type: 'policy-differs',
    message: 'codex uses model cheap, not dear as asked',
  })
})

it('a request that nothing here answers is refused, and the log says so', async () => {
  const { task, incidents } = await incidentsOf(
    [
      fake.on(
        'turn/start',
        fake.reply(),
        ...fake.turnStarted(),
        fake.request('item/new/thing', { threadId: '$threadId', turnId: '$turnId' }, 'q-1'),
        fake.waitForAnswer('q-1'),
        ...fake.turnCompleted(),
      ),
    ],
    'fake',
  )
  expect(task.status).toBe('completed')
  expect(incidents).toContainEqual({
    type: 'request-refused',
    message: 'codex asked item/new/thing, and was refused: nothing here answers it',
  })
})
