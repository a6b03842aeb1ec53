import { type Command, Option } from 'commander'
import type { DrawbridgeClient, Notice } from '../../api/index.ts'
import { addExamples } from '../help/index.ts'
import { wholeNumber } from '../options/index.ts'
import { asTyped, EXIT, type Surroundings } from '../process/index.ts'
import { printJson, printTable } from '../screen/index.ts'
import { acting, addServiceOptions, type ServiceFlags, serviceClient } from '../service/index.ts'
import { listNotices } from './notice-pages.ts'
import { NOTICE_STATUSES, noticeTable } from './notice-views.ts'

interface ListFlags extends ServiceFlags {
  readonly status?: Notice['status']
  readonly limit: string
}

const STATUS_HELP = `
pending: waits to be sent, or to be tried again · sent · dead: given up; \`drawbridge notify retry\` tries again ·
no_target: there was nobody to tell, neither in the task (--notify) nor in the settings.`

export function addNoticeList(notify: Command, surroundings: Surroundings): void {
  const list = notify
    .command('list')
    .alias('ls')
    .summary('notices, newest first')
    .description('Lists notices, newest first: to whom, whether they were sent, when the next try is.')
    .addOption(new Option('--status <status>', 'only these').choices(NOTICE_STATUSES))
    .option('--limit <count>', 'at most this many', '50')
  addServiceOptions(list).action(
    acting(surroundings, async (flags: ListFlags) => {
      const limit = wholeNumber(flags.limit, 'limit', { min: 1, max: Number.MAX_SAFE_INTEGER })
      const client = await serviceClient(flags, surroundings)
      const { items, hasMore } = await listNotices(client, { status: flags.status }, limit)
      if (flags.json) printJson(surroundings, items)
      else if (items.length === 0) surroundings.stderr.write('No notices.\n')
      else printTable(surroundings, noticeTable(items, Date.now()))
      if (hasMore) surroundings.stderr.write(`There are more: --limit ${limit * 2}\n`)
      return EXIT.done
    }),
  )
  addExamples(
    list,
    [
      'drawbridge notify list',
      'drawbridge notify list --status dead --limit 200',
      `drawbridge notify list --json | jq -r '.[] | select(.status == "sent").title'`,
    ],
    STATUS_HELP,
  )
}

export function addPendingNotices(notify: Command, surroundings: Surroundings): void {
  const pending = notify
    .command('pending')
    .summary('notices that are still to be sent, or were given up')
    .description('Lists all notices that wait to be sent, and those that were given up.')
  addServiceOptions(pending).action(
    acting(surroundings, (flags: ServiceFlags) => showPending(flags, surroundings)),
  )
  addExamples(pending, ['drawbridge notify pending', `drawbridge notify pending --json | jq length`])
}

async function showPending(flags: ServiceFlags, surroundings: Surroundings): Promise<number> {
  const client = await serviceClient(flags, surroundings)
  const waiting = await listNotices(client, { status: 'pending' })
  const dead = await listNotices(client, { status: 'dead' })
  const items = [...waiting.items, ...dead.items]
  if (flags.json) printJson(surroundings, items)
  else if (items.length > 0) printTable(surroundings, noticeTable(items, Date.now()))
  else surroundings.stderr.write(`Nothing waits to be sent.\n${await unheard(client)}`)
  return EXIT.done
}

/** That nothing waits does not mean that somebody was told. */
async function unheard(client: DrawbridgeClient): Promise<string> {
  const { items } = await client.notices({ status: 'no_target', limit: 1 })
  if (items.length === 0) return ''
  return asTyped('Some had nobody to go to: drawbridge notify list --status no_target\n')
}
