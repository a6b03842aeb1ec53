// What codex's own terminal needs of a task: an open thread, the task's rights, and an app-server that stays.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Task } from '../../../src/tasks/index.ts'
import {
  hang,
  lastUserText,
  type ModelRequest,
  message,
  type Reply,
  shell,
  toolOutputs,
} from '../../../src/testing/index.ts'
import { ALICE, openTasks } from '../../support/open-tasks.ts'
import { otherClient } from '../../support/other-client.ts'
import { runTask, taskThat } from '../../support/task-facts.ts'

/** `write` makes it write a file inside the sandbox. */
function writing(request: ModelRequest): Reply {
  const text = lastUserText(request)
  if (text === 'write' && toolOutputs(request).length === 0) return shell('touch made')
  return message(`said ${text}`)
}

describe('attaching', () => {
  it('says where the thread is, and leaves the task as it is', async () => {
    const { tasks, request, home, cwd } = await openTasks(writing)
    const before = await runTask(tasks, request('one'))
    const terminal = await tasks.terminals.attach(before.id, ALICE)
    expect(terminal).toMatchObject({
      ...{ taskId: before.id, threadId: before.threadId, cwd, codexHome: home.path },
      codexVersion: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    })
    expect(existsSync(terminal.socketPath)).toBe(true)
    expect(existsSync(terminal.codexPath)).toBe(true)
    await tasks.terminals.keep(before.id, ALICE)
    const { updatedAt: _, ...after } = await tasks.get(before.id)
    expect(after).toMatchObject({ status: 'completed', turnCount: 1, result: before.result })
  })

  it('keeps no app-server any longer than the service', async () => {
    const { tasks, request, pool } = await openTasks(writing)
    const { id } = await runTask(tasks, request('one'))
    await tasks.terminals.attach(id, ALICE)
    await expect.poll(() => pool.list().map(({ holds }) => holds)).toEqual([1])
    await tasks.close()
    expect(pool.list().map(({ holds }) => holds)).toEqual([0])
  })

  it('starts codex again for a task whose app-server is gone, and takes in what was had there', async () => {
    const stage = await openTasks(writing)
    const { id, threadId } = await runTask(stage.tasks, stage.request('one'))
    const other = await otherClient(stage)
    const thread = await other.resume(threadId)
    await stage.close()
    await (await thread.startTurn('two')).outcome
    await other.codex.close()
    await stage.end()
    const { tasks } = await stage.open()
    const terminal = await tasks.terminals.attach(id, ALICE)
    expect(existsSync(terminal.socketPath)).toBe(true)
    const isDone = (task: Task) => task.turnCount === 2 && task.status === 'completed'
    const ended = await taskThat(tasks, id, isDone)
    expect(ended.result?.text).toBe('said two')
  })

  it('of two terminals at once to a fork without a thread makes one thread', async () => {
    const { tasks, request } = await openTasks(writing)
    const from = await runTask(tasks, request('one'))
    const { id, threadId } = await tasks.fork(from.id, {}, ALICE)
    expect(threadId).toBeNull()
    const [one, two] = await Promise.all([
      tasks.terminals.attach(id, ALICE),
      tasks.terminals.attach(id, ALICE),
    ])
    expect(one.threadId).toBe(two.threadId)
    expect(await tasks.get(id)).toMatchObject({ status: 'idle', threadId: one.threadId })
  })

  it('is refused, with the reason, where there is nothing to attach to', async () => {
    const { tasks, request } = await openTasks([hang()], { settings: { maxWorking: 1 } })
    const first = await tasks.start(request('one'), ALICE)
    const { id } = await tasks.start(request('two'), ALICE)
    await expect(tasks.terminals.attach(id, ALICE)).rejects.toMatchObject({
      code: 'not-resumable',
      message: expect.stringMatching(/^the task has no thread yet \(queued: .*\): attach when it has begun$/),
    })
    await expect(tasks.terminals.attach('nothing', ALICE)).rejects.toMatchObject({ code: 'task-not-found' })
    await taskThat(tasks, first.id, ({ status }) => status === 'working')
    await tasks.interrupt(first.id, ALICE)
    await tasks.change(first.id, { archived: true }, ALICE)
    await expect(tasks.terminals.attach(first.id, ALICE)).rejects.toMatchObject({
      code: 'not-resumable',
      message: 'the task is archived: take it out of the archive first',
    })
    await tasks.interrupt(id, ALICE)
  })

  it('is refused over pipes', async () => {
    const { tasks, request } = await openTasks(writing, { pool: { transport: 'stdio' } })
    const { id } = await runTask(tasks, request('one'))
    await expect(tasks.terminals.attach(id, ALICE)).rejects.toMatchObject({
      code: 'not-supported',
      message: expect.stringMatching(
        /listens on no socket, which a terminal needs: use codex 0\.130 or newer/,
      ),
    })
  })
})

describe('a task that is opened for a terminal', () => {
  it('is idle, has a thread that others can resume, and the rights of its policy', async () => {
    const stage = await openTasks(writing)
    const { tasks, cwd, home } = stage
    const configFile = path.join(home.path, 'config.toml')
    const config = readFileSync(configFile, 'utf8')
    const task = await tasks.terminals.open(
      { cwd, codexHome: home.path, policy: { sandbox: 'workspace-write' }, title: 'by hand' },
      ALICE,
    )
    expect(task).toMatchObject({ status: 'idle', turnCount: 0, title: 'by hand', keepOpen: true })
    const { threadId } = await tasks.terminals.attach(task.id, ALICE)
    expect(threadId).toBe(task.threadId)
    const other = await otherClient(stage)
    const thread = await other.resume(threadId)
    expect(thread.settings).toMatchObject({
      sandbox: { type: 'workspaceWrite' },
      activePermissionProfile: { id: expect.stringMatching(/^drawbridge-.*-rw$/) },
    })
    await other.begin(threadId, 'write')
    const ended = await taskThat(
      tasks,
      task.id,
      ({ turnCount, status }) => turnCount === 1 && status === 'idle',
    )
    expect(ended.result?.text).toBe('said write')
    expect(existsSync(path.join(cwd, 'made'))).toBe(true)
    expect(readFileSync(configFile, 'utf8')).toBe(config)
  })

  it('has read-only rights when nothing else is asked for, and lasts over a restart', async () => {
    const stage = await openTasks(writing)
    const { cwd, home } = stage
    const { id, threadId } = await stage.tasks.terminals.open({ cwd, codexHome: home.path }, ALICE)
    await stage.end()
    const { tasks, pool } = await stage.open()
    expect(await tasks.terminals.attach(id, ALICE)).toMatchObject({ threadId })
    const other = await otherClient({ pool, home })
    await other.begin(threadId, 'write')
    await taskThat(tasks, id, ({ turnCount, status }) => turnCount === 1 && status === 'idle')
    expect(existsSync(path.join(cwd, 'made'))).toBe(false)
  })

  it('gets the tools of its labels, and is refused targets that no notice can reach, as any other', async () => {
    const { tasks, cwd, home } = await openTasks(writing, {
      tools: { weather: { module: path.resolve('test/fixtures/weather-tools.mjs'), labels: ['sailing'] } },
    })
    const opened = await tasks.terminals.open({ cwd, codexHome: home.path, labels: ['sailing'] }, ALICE)
    expect(opened.tools).toEqual(['weather'])
    const wrong = { cwd, codexHome: home.path, notify: ['carrier-pigeon:home'] }
    await expect(tasks.terminals.open(wrong, ALICE)).rejects.toMatchObject({
      code: 'bad-request',
      message: expect.stringMatching(/^notices cannot go there: /),
    })
    expect((await tasks.list({ archived: true })).items).toHaveLength(1)
    const notify = ['webhook:https://hooks.example/quiet-otter-7-lamp-post']
    const title = 'tells quiet-otter-7-lamp-post'
    const hidden = await tasks.terminals.open({ cwd, codexHome: home.path, notify, title }, ALICE)
    expect(hidden.title).not.toContain('otter')
  })

  it('leaves nothing behind when it cannot be opened', async () => {
    const { tasks, cwd, home } = await openTasks(writing)
    const wide = { cwd, codexHome: home.path, policy: { sandbox: 'danger-full-access' as const } }
    await expect(tasks.terminals.open(wide, ALICE)).rejects.toMatchObject({ code: 'folder-untrusted' })
    await expect(tasks.terminals.open({ cwd: path.join(cwd, 'no') }, ALICE)).rejects.toMatchObject({
      code: 'bad-request',
    })
    expect((await tasks.list({ archived: true })).items).toEqual([])
  })
})
