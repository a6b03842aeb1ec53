// The open questions of all tasks: listed, watched, answered one by one.
import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import type { Approval, DrawbridgeClient } from '../../api/index.ts'
import { EXIT } from '../exit-code.ts'
import { printJson } from '../output.ts'
import { personAt } from '../person-at.ts'
import { acting, addServiceOptions, type ServiceFlags, serviceClient } from '../service/acting.ts'
import type { Surroundings } from '../surroundings.ts'
import { findTaskId } from '../tasks/find-id.ts'
import { Questions } from '../tasks/questions.ts'
import { Terminal } from '../terminal.ts'
import { approvalLines } from './approval-lines.ts'

interface Flags extends ServiceFlags {
  readonly watch?: boolean
  readonly task?: string
}

/** News come as events; this is for those that a broken stream has lost. */
const LOOK_MS = 5_000

const HELP = `
With -w it stays: new questions are shown as they come, and at a terminal asked one after the other, with the keys that
\`drawbridge run\` has. With --json stdout is one list; with -w a line for each question.`

export function addApprovalsCommand(program: Command, surroundings: Surroundings): void {
  const command = program
    .command('approvals')
    .summary('what Codex asks and nobody has answered')
    .description('Shows the open questions of all tasks, whole.')
    .option('-w, --watch', 'stay, and answer them one by one at a terminal')
    .option('--task <task>', 'of this task only')
  addServiceOptions(command)
    .addHelpText('after', HELP)
    .action(acting(surroundings, (flags: Flags) => approvals(flags, surroundings)))
}

async function approvals(flags: Flags, surroundings: Surroundings): Promise<number> {
  const client = await serviceClient(flags, surroundings)
  const taskId = flags.task === undefined ? undefined : await findTaskId(client, flags.task)
  const open = async () => (await client.approvals({ status: 'pending', taskId, limit: 200 })).items
  if (flags.watch) return watch({ client, open, json: flags.json === true, surroundings })
  const items = await open()
  if (flags.json) printJson(surroundings, items)
  else if (items.length === 0) surroundings.stderr.write('No open questions.\n')
  else show(items, surroundings)
  return EXIT.done
}

function show(items: readonly Approval[], { stdout, useColour }: Surroundings): void {
  const plain = { write: (text: string) => stdout.write(text) }
  const terminal = new Terminal({
    stdout: plain,
    stderr: plain,
    useColour: useColour && stdout.isTTY === true,
  })
  for (const [index, approval] of items.entries()) {
    if (index > 0) terminal.line('')
    for (const { text, style } of approvalLines(approval, Date.now())) terminal.line(text, style)
  }
}

interface Watch {
  readonly client: DrawbridgeClient
  readonly open: () => Promise<readonly Approval[]>
  readonly json: boolean
  readonly surroundings: Surroundings
}

async function watch({ client, open, json, surroundings }: Watch): Promise<number> {
  const { interrupted: signal } = surroundings
  const terminal = new Terminal(surroundings)
  const person = json ? null : personAt(terminal, surroundings)
  const questions = person && new Questions({ client, person, tell: (line) => terminal.line(line, 'yellow') })
  const seen = new Set<string>()
  const look = async () => {
    for (const approval of await open()) {
      if (seen.has(approval.id)) continue
      seen.add(approval.id)
      if (json) printJson(surroundings, approval)
      else if (questions) void questions.ask(approval.id)
      else show([approval], surroundings)
    }
  }
  if (questions) terminal.line('Questions are asked here as they come. Ctrl-C leaves.', 'dim')
  await look()
  await Promise.race([
    followAll(client, signal, async (event) => {
      questions?.hear(event)
      if (event.status === 'pending') await look()
      else if (questions)
        terminal.line(`  ${event.title}: ${event.status}${event.actor ? ` by ${event.actor}` : ''}`, 'dim')
    }),
    lookAgain(look, signal),
  ])
  return EXIT.interrupted
}

interface ApprovalEvent {
  readonly approvalId: string
  readonly status: string
  readonly title: string
  readonly actor: string | null
}

async function followAll(
  client: DrawbridgeClient,
  signal: AbortSignal,
  hear: (event: ApprovalEvent) => Promise<void>,
): Promise<void> {
  for await (const { event } of client.tasks.followAll({ signal }))
    if (event.method === 'drawbridge/approval') await hear(event.params as ApprovalEvent)
}

async function lookAgain(look: () => Promise<void>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await delay(LOOK_MS, undefined, { signal }).catch(() => {})
    if (!signal.aborted) await look()
  }
}
