import { expect, it } from 'vitest'
import { interruptWithChildren } from './interrupt-below.ts'
import { type Task, TaskError } from './model/index.ts'

const CALLER = { actor: 'test' }

/** Tasks by id, with their parent and status. */
function family(all: Readonly<Record<string, readonly [parent: string | null, status: Task['status']]>>) {
  const tasks = Object.entries(all).map(([id, [parent, status]]) => ({ id, parent, status }) as Task)
  const ended: string[] = []
  const interrupt = async (id: string) => {
    const status = tasks.find((task) => task.id === id)!.status
    if (status === 'completed' || status === 'lost') throw new TaskError('not-running', `it is ${status}`)
    if (status === 'starting') throw new TaskError('worker-unreachable', 'gone')
    ended.push(id)
  }
  // Pages of one, so that there are several.
  const list = async ({ parent, cursor }: { parent?: string | undefined; cursor?: string | undefined }) => {
    const children = tasks.filter((task) => task.parent === parent)
    const at = Number(cursor ?? 0)
    return { items: children.slice(at, at + 1), cursor: at + 1 < children.length ? String(at + 1) : null }
  }
  return { ended, run: (id: string) => interruptWithChildren(id, CALLER, { list, interrupt }) }
}

it('ends the task first, then all below it, also below one that has ended', async () => {
  const { ended, run } = family({
    top: [null, 'working'],
    one: ['top', 'waiting'],
    done: ['top', 'completed'],
    two: ['top', 'limited'],
    deep: ['done', 'queued'],
    other: [null, 'working'],
  })
  await run('top')
  expect(ended).toEqual(['top', 'one', 'deep', 'two'])
})

it('is no error when only those below run, and one when nothing does', async () => {
  const { ended, run } = family({ top: [null, 'completed'], one: ['top', 'working'], two: ['top', 'lost'] })
  await run('top')
  expect(ended).toEqual(['one'])
  const over = family({ top: [null, 'lost'], one: ['top', 'completed'] })
  await expect(over.run('top')).rejects.toMatchObject({ code: 'not-running' })
})

it('ends all the others when one of them could not be ended, and says so', async () => {
  const { ended, run } = family({
    top: [null, 'working'],
    one: ['top', 'starting'],
    below: ['one', 'working'],
    two: ['top', 'working'],
  })
  await expect(run('top')).rejects.toMatchObject({ code: 'worker-unreachable' })
  expect(ended).toEqual(['top', 'below', 'two'])
})

it('ends all below a task that could not be ended', async () => {
  const { ended, run } = family({ top: [null, 'starting'], one: ['top', 'working'] })
  await expect(run('top')).rejects.toMatchObject({ code: 'worker-unreachable' })
  expect(ended).toEqual(['one'])
})
