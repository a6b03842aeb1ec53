import type { Command } from 'commander'
import type { EventEnvelope } from '../../api/index.ts'
import { addExamples } from '../help/index.ts'
import { wholeNumber } from '../options/index.ts'
import { EXIT, type Surroundings } from '../process/index.ts'
import { printJson } from '../screen/index.ts'
import { acting, addServiceOptions, reconnects, type ServiceFlags, serviceClient } from '../service/index.ts'
import { findTaskId } from './find-id.ts'
import { seqBeforeLast } from './seq-before-last.ts'
import { showStored, streamTask } from './stream-task.ts'

interface LogsFlags extends ServiceFlags {
  readonly follow?: boolean
  readonly after: string
  readonly tail?: string
  readonly times?: boolean
}

const HELP = `
With -f it follows until the task has ended. With --json stdout is a line for each event, as the API has them:
{"taskId":…,"seq":…,"at":…,"event":{"method":…,"params":…}}. What codex said is as it said it, secrets taken out;
methods of ours begin with drawbridge/.`

export function addTaskLogs(task: Command, surroundings: Surroundings): void {
  const command = task
    .command('logs')
    .summary('what happened in a task')
    .description('Shows what happened in a task, from its beginning.')
    .argument('<task>', 'its id, or enough of the beginning or end')
    .option('-f, --follow', 'go on until it has ended')
    .option('--after <sequence>', 'only what came after this event: the `seq` of a line of --json', '0')
    .option('--tail <count>', 'only the last events, this many')
    .option('--times', 'put the time of each line before it')
  addExamples(
    command,
    [
      ['drawbridge task logs 5f3a91c2', 'ids as `drawbridge task list` shows them'],
      'drawbridge task logs -f --tail 50 --times 5f3a91c2',
      'drawbridge task logs 5f3a91c2 --json | jq -r .event.method',
    ],
    HELP,
  )
  addServiceOptions(command).action(
    acting(surroundings, (given: string, flags: LogsFlags) => logs(given, flags, surroundings)),
  )
}

const MAX_TAIL = 1_000_000

async function logs(given: string, flags: LogsFlags, surroundings: Surroundings): Promise<number> {
  const first = wholeNumber(flags.after, 'after', { min: 0, max: Number.MAX_SAFE_INTEGER })
  const tail = flags.tail === undefined ? null : wholeNumber(flags.tail, 'tail', { min: 1, max: MAX_TAIL })
  const client = await serviceClient(flags, surroundings)
  const task = await client.tasks.get(await findTaskId(client, given))
  const after = tail === null ? first : Math.max(first, await seqBeforeLast(client, task, tail))
  const { LogView } = await import('./log-view.ts')
  const view = new LogView(task, surroundings, { hasTimes: flags.times === true })
  const onEvent = (event: EventEnvelope) => (flags.json ? printJson(surroundings, event) : view.event(event))
  const onReconnect = reconnects(surroundings)
  if (flags.follow)
    await streamTask({ client, task, after, onEvent, onReconnect, signal: surroundings.interrupted })
  else await showStored(client, task, { after, onEvent })
  return surroundings.interrupted.aborted ? EXIT.interrupted : EXIT.done
}
