// Open questions as they come: to whoever is at the terminal, else to stdout.
import { setTimeout as delay } from 'node:timers/promises'
import type { Approval, DrawbridgeClient, Page } from '../../api/index.ts'
import { DrawbridgeError } from '../../codex/index.ts'
import type { OwnEvents } from '../../tasks/index.ts'
import { EXIT, type Surroundings } from '../process/index.ts'
import { personAt } from '../prompts/index.ts'
import { printJson, Terminal, visibleLine } from '../screen/index.ts'
import { approvalLine, Questions, taskNames } from '../tasks/index.ts'

/** News come as events; this is for those that a broken stream has lost. */
const LOOK_MS = 5_000

export interface Watch {
  readonly client: DrawbridgeClient
  readonly open: () => Promise<Page<Approval>>
  readonly show: (items: readonly Approval[]) => Promise<void>
  /** Whether questions of this task are watched. */
  readonly isOurs: (taskId: string) => boolean
  readonly json: boolean
  readonly surroundings: Surroundings
}

/** Until Ctrl-C. */
export async function watchApprovals(watch: Watch): Promise<number> {
  const { client, surroundings } = watch
  const { interrupted: signal } = surroundings
  const desk = (watch.json ? null : deskAt(client, surroundings)) ?? plainDesk(watch)
  const put = new Set<string>()
  const look = async () => {
    for (const approval of (await watch.open()).items) {
      if (put.has(approval.id)) continue
      put.add(approval.id)
      await desk.put(approval)
    }
  }
  await look()
  await Promise.race([
    followAll(client, signal, async (taskId, event) => {
      if (!watch.isOurs(taskId)) return
      if (event.status === 'pending') return look()
      // It may be asked once more, when the answer does not reach codex.
      put.delete(event.approvalId)
      await desk.settled(taskId, event)
    }),
    lookAgain(look, { signal, tell: (line) => desk.tell(line) }),
  ])
  return EXIT.interrupted
}

type ApprovalEvent = OwnEvents['drawbridge/approval']

/** Where questions are put. */
interface Desk {
  put(approval: Approval): Promise<void> | void
  settled(taskId: string, event: ApprovalEvent): Promise<void>
  tell(line: string): void
}

/** Asks whoever is there, and tells what became of each question. null where nobody is. */
function deskAt(client: DrawbridgeClient, surroundings: Surroundings): Desk | null {
  const terminal = new Terminal(surroundings)
  const person = personAt(terminal, surroundings)
  if (!person) return null
  const nameOf = taskNames(client)
  const questions = new Questions({
    client,
    person,
    tell: (line) => terminal.line(line, 'yellow'),
    nameOf: ({ taskId }) => nameOf(taskId),
  })
  terminal.line('Questions are asked here as they come. Ctrl-C leaves.', 'dim')
  return {
    put: ({ id }) => void questions.ask(id),
    tell: (line) => terminal.line(line, 'yellow'),
    settled: async (taskId, event) => {
      questions.hear(event)
      const { text, style } = approvalLine(event)
      terminal.line(visibleLine(`${text} · ${await nameOf(taskId)}`), style)
    },
  }
}

function plainDesk({ show, json, surroundings }: Watch): Desk {
  return {
    put: (approval) => (json ? printJson(surroundings, approval) : show([approval])),
    settled: async () => {},
    tell: (line) => void surroundings.stderr.write(`${line}\n`),
  }
}

async function followAll(
  client: DrawbridgeClient,
  signal: AbortSignal,
  hear: (taskId: string, event: ApprovalEvent) => Promise<void>,
): Promise<void> {
  for await (const { taskId, event } of client.tasks.followAll({ signal }))
    if (event.method === 'drawbridge/approval') await hear(taskId, event.params as ApprovalEvent)
}

/** While the service is being restarted there is nothing to see. */
async function lookAgain(
  look: () => Promise<void>,
  { signal, tell }: { signal: AbortSignal; tell: (line: string) => void },
): Promise<void> {
  let isGone = false
  while (!signal.aborted) {
    await delay(LOOK_MS, undefined, { signal }).catch(() => {})
    if (signal.aborted) return
    try {
      await look()
      if (isGone) tell('The service is there again.')
      isGone = false
    } catch (error) {
      if (!(error instanceof DrawbridgeError) || !error.retryable) throw error
      if (!isGone) tell('The service is gone; questions are asked here again when it is back.')
      isGone = true
    }
  }
}
