// Commands that look at tasks.
import path from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Task, TaskFilter } from '../../api/index.ts'
import { addExamples } from '../help/index.ts'
import { collect, pageLimit } from '../options/index.ts'
import { asTyped, EXIT, type Surroundings } from '../process/index.ts'
import { printJson, printLines, printTable } from '../screen/index.ts'
import { acting, addServiceOptions, type ServiceFlags, serviceClient } from '../service/index.ts'
import { findTaskId } from './find-id.ts'
import { LABELS_COLUMN, STATUSES, taskTable } from './task-table.ts'

interface ListFlags extends ServiceFlags {
  readonly status: readonly Task['status'][]
  readonly label: readonly string[]
  readonly search?: string
  readonly cwd?: string
  readonly parent?: string
  readonly all?: boolean
  readonly archived?: boolean
  readonly limit: string
  readonly cursor?: string
}

export function addTaskList(task: Command, surroundings: Surroundings): void {
  const command = task
    .command('list')
    .alias('ls')
    .summary('tasks, newest first')
    .description('Lists tasks, newest first.')
    .addOption(
      new Option('--status <status>', 'only these; repeatable')
        .choices(STATUSES)
        .argParser(collectStatus)
        .default([]),
    )
    .option(
      '--label <label>',
      'only those with all of these; repeatable, or several with commas',
      collect,
      [],
    )
    .option('--search <text>', 'in title, prompt or answer')
    .option('--cwd <folder>', 'only those that work there')
    .option('--parent <task>', 'only those that this task started')
    .option('--all', 'archived ones too')
    .addOption(new Option('--archived', 'archived ones only').conflicts('all'))
    .option('--limit <count>', 'at most this many, up to 500', '50')
    .option('--cursor <cursor>', 'the next ones: what the page before gave')
  addExamples(command, [
    'drawbridge task list',
    'drawbridge task list --status waiting,working',
    'drawbridge task list --label nightly --search changelog --all',
    `drawbridge task list --json | jq -r '.[] | select(.status == "failed").id'`,
  ])
  addServiceOptions(command).action(acting(surroundings, (flags: ListFlags) => list(flags, surroundings)))
}

async function list(flags: ListFlags, surroundings: Surroundings): Promise<number> {
  const limit = pageLimit(flags.limit)
  const client = await serviceClient(flags, surroundings)
  const parent = flags.parent === undefined ? undefined : await findTaskId(client, flags.parent)
  const { items, cursor } = await client.tasks.list({ ...filterOf(flags), parent, limit })
  if (flags.json) printJson(surroundings, items)
  else if (items.length === 0) surroundings.stderr.write(`${nothing(flags)}\n`)
  else printTable(surroundings, taskTable(items, Date.now()), { yielding: LABELS_COLUMN })
  if (cursor !== null) surroundings.stderr.write(`There are more: add --cursor ${cursor}\n`)
  return EXIT.done
}

function filterOf({ status, label, search, cwd, all, archived, cursor }: ListFlags): TaskFilter {
  return {
    ...(status.length > 0 && { status }),
    ...(label.length > 0 && { labels: label }),
    search,
    cwd: cwd === undefined ? undefined : path.resolve(cwd),
    archived: archived ? 'only' : all === true,
    cursor,
  }
}

function nothing(flags: ListFlags): string {
  const { status, labels, search, cwd, archived, cursor } = filterOf(flags)
  const isFiltered = [status, labels, search, cwd, cursor, flags.parent].some((part) => part !== undefined)
  if (isFiltered || archived === 'only') return 'No task matches.'
  return asTyped('No tasks. Start one with: drawbridge task start "…"')
}

export function addTaskShow(task: Command, surroundings: Surroundings): void {
  const command = task
    .command('show')
    .summary('one task: its state, its open questions, its answer')
    .description(
      'Shows one task: its state, why, and what that rests on; its prompt, its open questions, what happened last, its answer.',
    )
    .argument('<task>', 'its id, or enough of the beginning or end')
  addExamples(command, [
    ['drawbridge task show 5f3a91c2', 'ids as `drawbridge task list` shows them'],
    'drawbridge task show 5f3a91c2 --json | jq -r .task.result.text',
  ])
  addServiceOptions(command).action(
    acting(surroundings, async (given: string, flags: ServiceFlags) => {
      const client = await serviceClient(flags, surroundings)
      const taskId = await findTaskId(client, given)
      const [detail, { items: children }] = await Promise.all([
        client.tasks.show(taskId, { events: 50 }),
        client.tasks.list({ parent: taskId, archived: true }),
      ])
      if (flags.json) printJson(surroundings, { ...detail, children })
      else {
        const { taskPage } = await import('./task-page.ts')
        printLines(surroundings, taskPage(detail, Date.now(), children))
      }
      return EXIT.done
    }),
  )
}

function collectStatus(value: string, all: unknown): string[] {
  const statuses = value.split(',').filter((word) => word !== '')
  if (statuses.some((status) => !STATUSES.includes(status)))
    throw new InvalidArgumentError(`Choose from ${STATUSES.join(', ')}.`)
  return [...(all as string[]), ...statuses]
}
