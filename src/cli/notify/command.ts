// Notices: what waits to be sent, what could not be, and whether a target works.
import type { Command } from 'commander'
import type { Notice } from '../../api/index.ts'
import { EXIT } from '../exit-code.ts'
import { type Cell, printJson, printLines, printTable } from '../output.ts'
import { ago } from '../relative-time.ts'
import { acting, addServiceOptions, dataDirOf, type ServiceFlags, serviceClient } from '../service/acting.ts'
import type { Surroundings } from '../surroundings.ts'
import { findNoticeId, shortId } from '../tasks/find-id.ts'

export function addNotifyCommand(program: Command, surroundings: Surroundings): void {
  const notify = program
    .command('notify')
    .summary('notices about tasks: what was sent, what was not')
    .description(
      'Notices tell people that a task asks, has ended, is limited or lost. Targets are in settings.json.',
    )
  const pending = notify
    .command('pending')
    .summary('notices that are not sent')
    .description('Lists notices that wait to be sent, and those that were given up.')
  addServiceOptions(pending).action(
    acting(surroundings, (flags: ServiceFlags) => listPending(flags, surroundings)),
  )
  const retry = notify
    .command('retry')
    .summary('send a notice again')
    .description('Sends a notice again, now; without an id, all that were given up.')
    .argument('[notice]', 'its id, or enough of the beginning or end')
  addServiceOptions(retry).action(
    acting(surroundings, (given: string | undefined, flags: ServiceFlags) =>
      retryNotices(given, flags, surroundings),
    ),
  )
  const dryRun = notify
    .command('dry-run')
    .summary('what would be sent')
    .description('Shows exactly what would be sent for a notice, its secrets taken out. Sends nothing.')
    .argument('<notice>', 'its id, or enough of the beginning or end')
  addServiceOptions(dryRun).action(
    acting(surroundings, async (given: string, flags: ServiceFlags) => {
      const client = await serviceClient(flags, surroundings)
      const draft = await client.dryRunNotice(await findNoticeId(client, given))
      if (flags.json) printJson(surroundings, draft)
      else printLines(surroundings, draftLines(draft))
      return 'error' in draft ? EXIT.failed : EXIT.done
    }),
  )
  const test = notify
    .command('test')
    .summary('send a test to a target')
    .description('Sends a test to a target, with the settings as they are now. Needs no running service.')
    .argument('<target>', 'a name from settings.json, or like webhook:https://…')
  addServiceOptions(test).action(
    acting(surroundings, async (target: string, flags: ServiceFlags) => {
      const { readSettings } = await import('../../config/index.ts')
      const settings = readSettings(dataDirOf(flags, surroundings), surroundings.env)
      const { sendTest } = await import('./send-test.ts')
      const result = await sendTest(target, settings, surroundings)
      if (flags.json) printJson(surroundings, result)
      else surroundings.stderr.write(result.ok ? 'Sent.\n' : `Not sent: ${result.error}\n`)
      return result.ok ? EXIT.done : EXIT.failed
    }),
  )
}

async function listPending(flags: ServiceFlags, surroundings: Surroundings): Promise<number> {
  const client = await serviceClient(flags, surroundings)
  const pages = await Promise.all([client.notices({ status: 'pending' }), client.notices({ status: 'dead' })])
  const items = pages.flatMap((page) => page.items)
  if (flags.json) printJson(surroundings, items)
  else if (items.length === 0) surroundings.stderr.write('All notices are sent.\n')
  else printTable(surroundings, noticeTable(items, Date.now()))
  return EXIT.done
}

async function retryNotices(
  given: string | undefined,
  flags: ServiceFlags,
  surroundings: Surroundings,
): Promise<number> {
  const client = await serviceClient(flags, surroundings)
  const ids =
    given === undefined
      ? (await client.notices({ status: 'dead', limit: 200 })).items.map(({ id }) => id)
      : [await findNoticeId(client, given)]
  const notices: Notice[] = []
  for (const id of ids) notices.push(await client.retryNotice(id))
  if (flags.json) printJson(surroundings, notices)
  else surroundings.stderr.write(`${notices.length} to be sent again.\n`)
  return EXIT.done
}

function noticeTable(notices: readonly Notice[], now: number): Cell[][] {
  return [
    ['ID', 'STATUS', 'CREATED', 'TRIES', 'TARGET', 'LAST ERROR', 'TITLE'].map(
      (text): Cell => ({ text, colour: 'dim' }),
    ),
    ...notices.map(({ id, status, createdAt, attempts, target, lastError, title }) => [
      { text: shortId(id) },
      { text: status, colour: status === 'dead' ? ('red' as const) : ('yellow' as const) },
      { text: ago(createdAt, now) },
      { text: String(attempts) },
      { text: target },
      { text: (lastError ?? '').slice(0, 60) },
      { text: title },
    ]),
  ]
}

function draftLines(draft: Readonly<Record<string, unknown>>): string[] {
  if (typeof draft.error === 'string') return [draft.error]
  const headers = Object.entries(Object(draft.headers) as Record<string, string>)
  return [
    `${String(draft.method)} ${String(draft.url)}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    '',
    ...String(draft.body).split('\n'),
  ]
}
