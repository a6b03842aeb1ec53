import type { Command } from 'commander'
import { addExamples } from '../help/index.ts'
import { pageLimit } from '../options/index.ts'
import { EXIT, type Surroundings } from '../process/index.ts'
import { printJson, printTable } from '../screen/index.ts'
import { acting, addServiceOptions, type ServiceFlags, serviceClient } from '../service/index.ts'
import { findTaskId } from '../tasks/index.ts'

interface Flags extends ServiceFlags {
  readonly task?: string
  readonly limit: string
  readonly cursor?: string
}

const HELP = `
Every answer that Codex got is here, those of rules too, and stays when its task is deleted; that one is then named by
its whole id. With --json stdout is one list, as the API has it.`

export function addAuditCommand(program: Command, surroundings: Surroundings): void {
  const command = program
    .command('audit')
    .summary('what was decided: when, by whom, why')
    .description(
      'Lists what was decided, newest first: when, for which task, what, by whom or which rule, and why.',
    )
    .option('--task <task>', 'of this task only')
    .option('--limit <count>', 'at most this many, up to 500', '50')
    .option('--cursor <cursor>', 'the next ones: what the page before gave')
  addExamples(
    addServiceOptions(command),
    [
      'drawbridge audit',
      'drawbridge audit --task 5f3a91c2 --limit 200',
      `drawbridge audit --json | jq '.[] | select(.by == "person")'`,
    ],
    HELP,
  ).action(acting(surroundings, (flags: Flags) => audit(flags, surroundings)))
}

async function audit(flags: Flags, surroundings: Surroundings): Promise<number> {
  const limit = pageLimit(flags.limit)
  const client = await serviceClient(flags, surroundings)
  const taskId = flags.task === undefined ? undefined : await findTaskId(client, flags.task)
  const { items, cursor } = await client.audit({ taskId, limit, cursor: flags.cursor })
  if (flags.json) printJson(surroundings, items)
  else if (items.length === 0) surroundings.stderr.write('Nothing was decided yet.\n')
  else {
    const { auditTable } = await import('./audit-table.ts')
    printTable(surroundings, auditTable(items, Date.now()))
  }
  if (cursor !== null) surroundings.stderr.write(`There are more: add --cursor ${cursor}\n`)
  return EXIT.done
}
