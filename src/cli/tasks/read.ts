// Commands that look at tasks.
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Task } from '../../api/index.ts'
import { collect } from '../approvals/flags.ts'
import { EXIT } from '../exit-code.ts'
import { printJson, printLines, printTable } from '../output.ts'
import { acting, addServiceOptions, type ServiceFlags, serviceClient } from '../service/acting.ts'
import type { Surroundings } from '../surroundings.ts'
import { findTaskId } from './find-id.ts'
import { STATUSES, taskPage, taskTable } from './task-views.ts'

interface ListFlags extends ServiceFlags {
  readonly status: readonly Task['status'][]
  readonly label: readonly string[]
  readonly search?: string
  readonly all?: boolean
  readonly limit: string
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
    .option('--label <label>', 'only those with all of these; repeatable', collect, [])
    .option('--search <text>', 'in title, prompt or answer')
    .option('--all', 'archived ones too')
    .option('--limit <count>', 'at most this many', '50')
  addServiceOptions(command).action(acting(surroundings, (flags: ListFlags) => list(flags, surroundings)))
}

async function list(flags: ListFlags, surroundings: Surroundings): Promise<number> {
  const client = await serviceClient(flags, surroundings)
  const { status, label, search, all, limit } = flags
  const { items, cursor } = await client.tasks.list({
    ...(status.length > 0 && { status }),
    ...(label.length > 0 && { labels: label }),
    search,
    archived: all === true,
    limit: Number(limit),
  })
  if (flags.json) printJson(surroundings, items)
  else if (items.length === 0)
    surroundings.stderr.write('No tasks. Start one with: drawbridge task start "…"\n')
  else printTable(surroundings, taskTable(items, Date.now()))
  if (cursor !== null)
    surroundings.stderr.write(`There are more: --limit ${Math.min(500, Number(limit) * 2)}\n`)
  return EXIT.done
}

export function addTaskShow(task: Command, surroundings: Surroundings): void {
  const command = task
    .command('show')
    .summary('one task: its state, its open questions, its answer')
    .description('Shows one task: its state and why, its open questions, its answer.')
    .argument('<task>', 'its id, or enough of the beginning or end')
  addServiceOptions(command).action(
    acting(surroundings, async (given: string, flags: ServiceFlags) => {
      const client = await serviceClient(flags, surroundings)
      const detail = await client.tasks.show(await findTaskId(client, given), { events: flags.json ? 50 : 0 })
      if (flags.json) printJson(surroundings, detail)
      else printLines(surroundings, taskPage(detail, Date.now()))
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
