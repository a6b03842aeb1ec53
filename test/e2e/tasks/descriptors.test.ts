// Threads of ended tasks do not pile up in codex.
import { readdirSync, readlinkSync } from 'node:fs'
import { expect, it } from 'vitest'
import { lastUserText, message } from '../../../src/testing/index.ts'
import { eventually } from '../../faults/processes.ts'
import { ALICE, openTasks } from '../../support/open-tasks.ts'
import { taskThat } from '../../support/task-facts.ts'

/** More than the service keeps open. */
const TASKS = 70
const KEPT = 50
/** All of them together, on a busy machine. */
const PATIENCE_MS = 100_000

it('many quick tasks leave codex with few threads loaded, and each can go on', async () => {
  const { tasks, request, pool } = await openTasks((call) => message(`echo ${lastUserText(call)}`), {
    pool: { limits: { unloadThreadsAfterSecs: 1 } },
  })
  const run = async (index: number) => {
    const { id } = await tasks.start(request(`t${index}`), ALICE)
    return tasks.wait(id, { timeoutMs: PATIENCE_MS, through: true })
  }
  const first = await run(0)
  const { pid } = pool.list()[0]!
  const lockCount = () => locksOf(pid!).length
  const ended = await Promise.all(Array.from({ length: TASKS - 1 }, (_, index) => run(index + 1)))
  expect(ended.filter(({ status }) => status !== 'completed')).toEqual([])
  await eventually(() => lockCount() <= KEPT, 'the threads of ended tasks are unloaded')
  expect(lockCount()).toBeGreaterThan(0)
  await tasks.send(first.id, { input: 'again', mode: 'queue' }, ALICE)
  expect(
    await taskThat(tasks, first.id, ({ turnCount, status }) => turnCount === 2 && status === 'completed'),
  ).toMatchObject({ result: { text: 'echo again' }, threadId: first.threadId })
}, 150_000)

/** Codex holds one lock for each thread that it has loaded. */
function locksOf(pid: number): string[] {
  return openFiles(pid).filter((file) => file.includes('thread-writer-locks'))
}

function openFiles(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${fd}`)]
    } catch {
      return [] // closed meanwhile
    }
  })
}
