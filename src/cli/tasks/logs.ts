import type { Command } from 'commander'
import type { EventEnvelope, Task } from '../../api/index.ts'
import { EXIT } from '../exit-code.ts'
import { addExamples } from '../help/examples.ts'
import { printJson } from '../output.ts'
import { TerminalView } from '../run/terminal-view.ts'
import { acting, addServiceOptions, type ServiceFlags, serviceClient } from '../service/acting.ts'
import type { Surroundings } from '../surroundings.ts'
import { Terminal } from '../terminal.ts'
import { wholeNumber } from '../whole-number.ts'
import { EventView } from './event-view.ts'
import { findTaskId } from './find-id.ts'
import { showStored, streamTask } from './stream-task.ts'

interface LogsFlags extends ServiceFlags {
  readonly follow?: boolean
  readonly after: string
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
    .option('--after <sequence>', 'only what came after this event', '0')
  addExamples(
    command,
    [
      ['drawbridge task logs 5f3a91c2', 'ids as `drawbridge task list` shows them'],
      'drawbridge task logs -f 5f3a91c2',
      'drawbridge task logs 5f3a91c2 --json | jq -r .event.method',
    ],
    HELP,
  )
  addServiceOptions(command).action(
    acting(surroundings, (given: string, flags: LogsFlags) => logs(given, flags, surroundings)),
  )
}

async function logs(given: string, flags: LogsFlags, surroundings: Surroundings): Promise<number> {
  const after = wholeNumber(flags.after, 'after', { min: 0, max: Number.MAX_SAFE_INTEGER })
  const client = await serviceClient(flags, surroundings)
  const task = await client.tasks.get(await findTaskId(client, given))
  const view = eventView(task, surroundings)
  const onEvent = (event: EventEnvelope) => (flags.json ? printJson(surroundings, event) : view.event(event))
  if (flags.follow) await streamTask({ client, task, after, onEvent, signal: surroundings.interrupted })
  else await showStored(client, task, { after, onEvent })
  return surroundings.interrupted.aborted ? EXIT.interrupted : EXIT.done
}

/** All of a log is what was asked for, so all of it goes to stdout, without a status line. */
function eventView({ threadId }: Task, { stdout, useColour }: Surroundings): EventView {
  const plain = { write: (text: string) => stdout.write(text) }
  const terminal = new Terminal({
    stdout: plain,
    stderr: plain,
    useColour: useColour && stdout.isTTY === true,
  })
  return new EventView(terminal, new TerminalView(terminal), { threadId })
}
