// Commands that do the same to one task, or to several in turn.
import type { Command } from 'commander'
import type { DrawbridgeClient, Task } from '../../api/index.ts'
import { addExamples } from '../help/index.ts'
import { asTyped, EXIT, type Surroundings } from '../process/index.ts'
import { printJson, tell } from '../screen/index.ts'
import { acting, addServiceOptions, type ServiceFlags, serviceClient } from '../service/index.ts'
import { ACT_EXAMPLES } from './act-examples.ts'
import { findTaskId, shortId } from './find-id.ts'
import { stateLine } from './state-line.ts'

/** What came of it, for programs and for people. */
interface Done {
  readonly value: unknown
  readonly line: string
}

type Act = (client: DrawbridgeClient, taskId: string, flags: EachFlags) => Promise<Done>

interface EachFlags extends ServiceFlags {
  readonly children?: boolean
}

export function addTaskActsOnEach(task: Command, surroundings: Surroundings): void {
  const add = (name: keyof typeof ACT_EXAMPLES, { summary, more = '' }: Told, act: Act) => {
    const command = task
      .command(name)
      .summary(summary)
      .description(`${summary[0]!.toUpperCase()}${summary.slice(1)}.${more}`)
      .argument('<task...>', 'their ids, or enough of the beginning or end')
    addExamples(command, ACT_EXAMPLES[name])
    return addServiceOptions(command).action(
      acting(surroundings, async (given: string[], flags: EachFlags) => {
        const client = await serviceClient(flags, surroundings)
        const actOn = async (id: string) => act(client, await findTaskId(client, id), flags)
        return given.length === 1
          ? onOne(await actOn(given[0]!), flags, surroundings)
          : onEach(given, actOn, { flags, surroundings })
      }),
    )
  }
  add(
    'interrupt',
    { summary: 'end the turn that runs, or take the task out of the queue', more: NEXT },
    interrupt,
  ).option('--children', 'also all tasks that it started, and those that these started')
  add('archive', { summary: 'take tasks out of the lists' }, change({ archived: true }, 'archived'))
  add('unarchive', { summary: 'put archived tasks back' }, change({ archived: false }, 'back in the lists'))
  add('rm', { summary: 'delete tasks that have ended, with their logs' }, remove)
}

interface Told {
  readonly summary: string
  readonly more?: string
}

const NEXT = ' A message that waits begins its turn then; to end that one, too, interrupt once more.'

async function interrupt({ tasks }: DrawbridgeClient, taskId: string, flags: EachFlags): Promise<Done> {
  const { children = false } = flags
  const task = await tasks.interrupt(taskId, { children })
  const left = children ? '' : await leftBelow(tasks, taskId)
  return { value: task, line: `${stateLine(task, Date.now())}${nextTurn(task)}${left}` }
}

/** What an interrupted task has started goes on by itself. */
async function leftBelow(tasks: DrawbridgeClient['tasks'], taskId: string): Promise<string> {
  const { total } = await tasks.count({ parent: taskId, status: AT_WORK, archived: true })
  if (total === 0) return ''
  const what = total === 1 ? '1 task that it started is' : `${total} tasks that it started are`
  return asTyped(
    `\n${what} still at work; to end that, too: drawbridge task interrupt ${shortId(taskId)} --children`,
  )
}

const AT_WORK = ['queued', 'starting', 'working', 'waiting', 'limited'] as const

function nextTurn({ id, status }: Pick<Task, 'id' | 'status'>): string {
  if (status !== 'queued' && status !== 'starting' && status !== 'working') return ''
  return asTyped(
    `\nThe next message begins its turn now; to end that one, too: drawbridge task interrupt ${shortId(id)}`,
  )
}

function change(fields: { archived: boolean }, done: string): Act {
  return async ({ tasks }, taskId) => ({
    value: await tasks.change(taskId, fields),
    line: `${shortId(taskId)} is ${done}.`,
  })
}

async function remove({ tasks }: DrawbridgeClient, taskId: string): Promise<Done> {
  await tasks.delete(taskId)
  return { value: { id: taskId, deleted: true }, line: `${shortId(taskId)} is deleted.` }
}

function onOne({ value, line }: Done, { json }: ServiceFlags, surroundings: Surroundings): number {
  if (json) printJson(surroundings, value)
  else tell(surroundings, line)
  return EXIT.done
}

/** What goes wrong with one is told with its id, and the others are done all the same. */
async function onEach(
  given: readonly string[],
  actOn: (id: string) => Promise<Done>,
  { flags, surroundings }: { flags: ServiceFlags; surroundings: Surroundings },
): Promise<number> {
  const values: unknown[] = []
  for (const id of given) {
    try {
      const { value, line } = await actOn(id)
      values.push(value)
      if (!flags.json) tell(surroundings, line)
    } catch (error) {
      if (surroundings.interrupted.aborted) throw error
      const { plainError } = await import('../errors/index.ts')
      tell(surroundings, `drawbridge: ${id}: ${plainError(error).text}`)
    }
  }
  if (flags.json) printJson(surroundings, values)
  return values.length === given.length ? EXIT.done : EXIT.failed
}
