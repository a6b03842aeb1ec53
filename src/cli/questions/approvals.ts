// The open questions of all tasks: listed, or watched.
import type { Command } from 'commander'
import type { Approval, DrawbridgeClient } from '../../api/index.ts'
import { EXIT } from '../exit-code.ts'
import { addExamples } from '../help/examples.ts'
import { printJson } from '../output.ts'
import { acting, addServiceOptions, type ServiceFlags, serviceClient } from '../service/acting.ts'
import type { Surroundings } from '../surroundings.ts'
import { findTaskId } from '../tasks/find-id.ts'
import { taskNames } from '../tasks/task-name.ts'
import { Terminal } from '../terminal.ts'
import { asTyped } from '../typed-name.ts'
import { approvalLines } from './approval-lines.ts'
import { watchApprovals } from './watch-approvals.ts'

interface Flags extends ServiceFlags {
  readonly watch?: boolean
  readonly explain?: boolean
  readonly task?: string
}

const MAX_SHOWN = 200

const HELP = `
What each word would do, and for how long, is told when there is one question, or with --explain.
With -w it stays: new questions are shown as they come, and at a terminal asked one after the other, with the keys that
\`drawbridge run\` has. With --json stdout is one list; with -w a line for each question.`

export function addApprovalsCommand(program: Command, surroundings: Surroundings): void {
  const command = program
    .command('approvals')
    .summary('what Codex asks and nobody has answered')
    .description('Shows the open questions of all tasks, whole.')
    .option('-w, --watch', 'stay, and answer them one by one at a terminal')
    .option('--explain', 'with what each word would do, and for how long')
    .option('--task <task>', 'of this task only')
  addExamples(
    command,
    [
      'drawbridge approvals',
      ['drawbridge approvals -w', 'answers them one by one, as they come'],
      'drawbridge approvals --task 5f3a91c2 --explain',
      `drawbridge approvals --json | jq -r '.[].question.title'`,
    ],
    HELP,
  )
  addServiceOptions(command).action(acting(surroundings, (flags: Flags) => approvals(flags, surroundings)))
}

async function approvals(flags: Flags, surroundings: Surroundings): Promise<number> {
  const { stderr } = surroundings
  const client = await serviceClient(flags, surroundings)
  const taskId = flags.task === undefined ? undefined : await findTaskId(client, flags.task)
  const open = () => client.approvals({ status: 'pending', taskId, limit: MAX_SHOWN })
  const show = shower({ client, isExplained: flags.explain === true, surroundings })
  if (flags.watch) {
    const isOurs = (asking: string) => taskId === undefined || asking === taskId
    return watchApprovals({ client, open, show, isOurs, json: flags.json === true, surroundings })
  }
  const { items, cursor } = await open()
  if (flags.json) printJson(surroundings, items)
  else if (items.length === 0) stderr.write('No open questions.\n')
  else await show(items)
  if (!flags.json && items.length > 1 && !flags.explain)
    stderr.write(asTyped('What each word would do: drawbridge approvals --explain\n'))
  if (cursor !== null) stderr.write(`There are more than these ${MAX_SHOWN}.\n`)
  return EXIT.done
}

interface Shower {
  readonly client: DrawbridgeClient
  readonly isExplained: boolean
  readonly surroundings: Surroundings
}

/** Writes questions to stdout. One by itself is explained. */
function shower({ client, isExplained, surroundings: { stdout, useColour } }: Shower) {
  const plain = { write: (text: string) => stdout.write(text) }
  const terminal = new Terminal({
    stdout: plain,
    stderr: plain,
    useColour: useColour && stdout.isTTY === true,
  })
  const nameOf = taskNames(client)
  return async (items: readonly Approval[]): Promise<void> => {
    for (const [index, approval] of items.entries()) {
      if (index > 0) terminal.line('')
      const shown = {
        now: Date.now(),
        task: await nameOf(approval.taskId),
        isExplained: isExplained || items.length === 1,
      }
      for (const { text, style } of approvalLines(approval, shown)) terminal.line(text, style)
    }
  }
}
