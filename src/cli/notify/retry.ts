// Sending a notice again, and what that would be.
import type { Command } from 'commander'
import type { DrawbridgeClient, Notice } from '../../api/index.ts'
import { DrawbridgeError } from '../../codex/index.ts'
import { addExamples } from '../help/index.ts'
import { asTyped, EXIT, type Surroundings } from '../process/index.ts'
import { printJson, printLines } from '../screen/index.ts'
import { acting, addServiceOptions, type ServiceFlags, serviceClient } from '../service/index.ts'
import { findNotice, listNotices } from './notice-pages.ts'
import { draftLines, whyNotAgain } from './notice-views.ts'

export function addNoticeRetry(notify: Command, surroundings: Surroundings): void {
  const retry = notify
    .command('retry')
    .summary('send a notice again')
    .description('Sends a notice again, now; without an id, all that were given up.')
    .argument('[notice]', 'its id, or enough of the beginning or end (default: all that are dead)')
  addServiceOptions(retry).action(
    acting(surroundings, async (given: string | undefined, flags: ServiceFlags) => {
      const client = await serviceClient(flags, surroundings)
      const again = given === undefined ? await listDead(client) : [await retriable(client, given)]
      const notices: Notice[] = []
      for (const { id } of again) notices.push(await client.retryNotice(id))
      if (flags.json) printJson(surroundings, notices)
      else surroundings.stderr.write(`${retriedText(notices.length)}\n`)
      return EXIT.done
    }),
  )
  addExamples(retry, [
    'drawbridge notify retry',
    ['drawbridge notify retry 3f9a2c11', 'ids as `drawbridge notify list` shows them'],
  ])
}

async function listDead(client: DrawbridgeClient): Promise<readonly Notice[]> {
  return (await listNotices(client, { status: 'dead' })).items
}

async function retriable(client: DrawbridgeClient, given: string): Promise<Notice> {
  const notice = await findNotice(client, given)
  const why = whyNotAgain(notice, Date.now())
  if (why !== null) throw new DrawbridgeError(why, { code: 'not-retriable' })
  return notice
}

function retriedText(count: number): string {
  if (count === 0) return 'None was given up: there is nothing to send again.'
  return asTyped(
    `${count === 1 ? '1 notice is' : `${count} notices are`} sent again now: drawbridge notify pending`,
  )
}

export function addNoticeDryRun(notify: Command, surroundings: Surroundings): void {
  const dryRun = notify
    .command('dry-run')
    .summary('what would be sent')
    .description('Shows exactly what would be sent for a notice, its secrets taken out. Sends nothing.')
    .argument('<notice>', 'its id, or enough of the beginning or end')
  addServiceOptions(dryRun).action(
    acting(surroundings, async (given: string, flags: ServiceFlags) => {
      const client = await serviceClient(flags, surroundings)
      const notice = await findNotice(client, given)
      if (notice.status === 'no_target')
        throw new DrawbridgeError(whyNotAgain(notice, Date.now())!, { code: 'no-target' })
      const draft = await client.dryRunNotice(notice.id)
      if (flags.json) printJson(surroundings, draft)
      else printLines(surroundings, draftLines(draft))
      return 'error' in draft ? EXIT.failed : EXIT.done
    }),
  )
  addExamples(dryRun, [
    ['drawbridge notify dry-run 3f9a2c11', 'ids as `drawbridge notify list` shows them'],
    'drawbridge notify dry-run 3f9a2c11 --json | jq -r .body',
  ])
}
