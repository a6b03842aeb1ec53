// Hooks around tasks: real processes on this machine, around turns of the real codex.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { commandHook, endLeftBehindHook } from '../../../src/hosts/index.ts'
import type { HookFacts, TaskHook } from '../../../src/tasks/index.ts'
import { type ModelScript, message, shell, toolOutputs } from '../../../src/testing/index.ts'
import { ALICE, allEvents, openTasks } from '../../support/open-tasks.ts'
import { eventThat, paramsOf, runTask, taskThat } from '../../support/task-facts.ts'

type Opened = Awaited<ReturnType<typeof openTasks>>
type Given = Omit<TaskHook, 'run' | 'title'>

const env = { PATH: process.env.PATH, OPENAI_API_KEY: 'sk-of-the-operator-1234567890', PLAIN: 'plain' }
const command = (text: string, hook: Given, passEnv: readonly string[] = []): TaskHook => ({
  ...hook,
  ...commandHook(text, { env, passEnv }),
})

function openWith(hooks: () => readonly TaskHook[], script: ModelScript = () => message('done')) {
  return openTasks(script, {
    hooks: () => ({ hooks: hooks(), endLeftBehind: endLeftBehindHook }),
  })
}

/** How each hook of a task ended, and what it wrote. */
async function hookEvents(tasks: Opened['tasks'], taskId: string) {
  const events = await allEvents(tasks, taskId)
  const of = (method: string) => events.filter((event) => event.method === method).map(paramsOf)
  const output = of('drawbridge/hook-output')
    .map(({ text }) => text)
    .join('')
  return { ends: of('drawbridge/hook').filter(({ status }) => status !== 'started'), output }
}

describe('hooks', () => {
  it('run before the first turn and after the end, with facts and without keys', async () => {
    const facts = 'cat > facts-$DRAWBRIDGE_EVENT.json; env > env.txt; echo "made for $DRAWBRIDGE_TASK_TITLE"'
    const { tasks, request, cwd } = await openWith(
      () => [
        command(facts, { name: 'install', on: 'before' }, ['PLAIN']),
        command('echo never', { name: 'other', on: 'before', labels: ['web'] }),
        command(facts, { name: 'tidy', on: 'after' }),
      ],
      (request) => (toolOutputs(request).length === 0 ? shell('cat facts-before.json') : message('done')),
    )
    const task = await runTask(tasks, request('Build it'))
    expect(task).toMatchObject({ status: 'completed' })
    await eventThat(tasks, task.id, ({ frame }) => /"hook":"tidy".*"status":"done"/.test(frame))
    const read = (name: string) => readFileSync(path.join(cwd, name), 'utf8')
    expect(JSON.parse(read('facts-before.json'))).toMatchObject({
      event: 'before',
      hook: 'install',
      attempt: 1,
      task: {
        id: task.id,
        title: 'Build it',
        status: 'starting',
        cwd,
        host: null,
        turns: 0,
        workspace: null,
      },
    } satisfies Partial<Record<keyof HookFacts, unknown>>)
    expect(JSON.parse(read('facts-after.json'))).toMatchObject({ task: { status: 'completed', turns: 1 } })
    expect(read('env.txt')).not.toContain('sk-of-the-operator')
    const { ends, output } = await hookEvents(tasks, task.id)
    expect(ends).toMatchObject([
      { hook: 'install', on: 'before', status: 'done', exitCode: 0, attempt: 1 },
      { hook: 'tidy', on: 'after', status: 'done' },
    ])
    expect(output).toContain('made for Build it')
    // The next turn in the same folder is not prepared again, and ends the task again.
    await tasks.send(task.id, { input: 'more', mode: 'queue' }, ALICE)
    await taskThat(tasks, task.id, ({ turnCount, status }) => turnCount === 2 && status === 'completed')
    await expect.poll(async () => (await hookEvents(tasks, task.id)).ends.length).toBe(3)
    // A fork in the same folder is a task of its own.
    const fork = await tasks.fork(task.id, { prompt: 'again' }, ALICE)
    await tasks.wait(fork.id, {})
    await expect
      .poll(async () => (await hookEvents(tasks, fork.id)).ends.map(({ hook }) => hook))
      .toEqual(['install', 'tidy'])
  }, 60_000)
})
