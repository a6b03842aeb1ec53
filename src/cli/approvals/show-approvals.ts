import type { Approval, DrawbridgeClient } from '../../api/index.ts'
import { asTyped, EXIT, type Surroundings } from '../process/index.ts'
import { printJson, Terminal } from '../screen/index.ts'
import { type ServiceFlags, serviceClient } from '../service/index.ts'
import { findTaskId, taskNames } from '../tasks/index.ts'
import { approvalLines } from './approval-lines.ts'
import { watchApprovals } from './watch-approvals.ts'

export interface Flags extends ServiceFlags {
  readonly watch?: boolean
  readonly explain?: boolean
  readonly task?: string
}

const MAX_SHOWN = 200

export async function showApprovals(flags: Flags, surroundings: Surroundings): Promise<number> {
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
